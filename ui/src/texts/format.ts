import type { Language } from "../api/template";
import type { Texts } from "./en";

const LOCALES: Record<Language, string> = { en: "en-GB", zh: "zh-CN" };
const COUNT = new Intl.NumberFormat("en");

/** A number of things, with separators: 1,000. Both languages write it so. */
export const count = (n: number): string => COUNT.format(n);

/** A moment, as people of that language write it. */
export function moment(at: string | null, language: Language): string {
  if (at === null) return "—";
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(LOCALES[language], {
    ...(isToday ? {} : { year: "numeric", month: "short", day: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
    ...(isToday ? { second: "2-digit" } : {}),
  }).format(date);
}

/** The day of a moment. */
export function day(at: string, language: Language): string {
  return new Intl.DateTimeFormat(LOCALES[language], { dateStyle: "medium" }).format(new Date(at));
}

export function duration(seconds: number, texts: Texts): string {
  if (seconds < 90) return texts.task.seconds(Math.max(1, Math.round(seconds)));
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? texts.task.minutes(minutes) : texts.task.hours(Math.floor(minutes / 60), minutes % 60);
}

/** A large number, shortened: 12K. */
export function compact(n: number, language: Language): string {
  const locale = language === "zh" ? "zh-CN" : "en";
  return new Intl.NumberFormat(locale, { notation: "compact", maximumSignificantDigits: 2 }).format(n);
}
