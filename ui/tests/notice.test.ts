import { describe, expect, test } from "vitest";
import { type Notice, chinese, english, loadChinese } from "../src/texts/notice";

const notice = (id: string, message: string, params: Notice["params"] = {}): Notice => ({ id, message, params });

describe("a notice of the server", () => {
  test("is its English sentence", () => {
    expect(english(notice("task.no_task", "There is no task 7.", { id: 7 }))).toBe("There is no task 7.");
    expect(english(null)).toBe("");
  });

  test("is English on Chinese pages until the catalogue is loaded, and for an id without a text", async () => {
    const missing = notice("task.no_task", "There is no task 7.", { id: 7 });
    expect(chinese(missing)).toBe("There is no task 7.");
    await loadChinese();
    expect(chinese(missing)).toBe("没有任务 7。");
    expect(chinese(notice("", "Quota exceeded."))).toBe("Quota exceeded.");
  });

  test("has its parameters filled in as they are, notices among them in Chinese too", async () => {
    await loadChinese();
    const action = notice("review.rejected", "rejected");
    const both = notice("review.reviewed_value_meanwhile_look_again", "…", { reviewer: "$& <b>", action });
    expect(chinese(both)).toBe("其间 $& <b> 已审核此值（已否决）。请再看一遍，然后决定。");
  });

  test("of a template's check has the Chinese of the template", () => {
    const flag = notice("check.p_and_ci", "P is 0.2.", { p: "0.2" });
    expect(chinese(flag, { en: "P is {p}.", zh: "P 值为 {p}。" })).toBe("P 值为 0.2。");
  });

  test("is never matched by its sentence", async () => {
    await loadChinese();
    expect(chinese("There is no task 7.")).toBe("There is no task 7.");
  });
});
