import { type ReactNode, createContext, useContext, useEffect, useMemo, useState } from "react";
import type { Language } from "../api/template";
import { type Words, en } from "./en";
import { zh } from "./zh";

const KEY = "ingather-language";
const ALL: Record<Language, Words> = { en, zh };

interface Spoken {
  language: Language;
  words: Words;
  speak: (language: Language) => void;
}

const Context = createContext<Spoken>({ language: "en", words: en, speak: () => undefined });

function first(): Language {
  const kept = localStorage.getItem(KEY);
  if (kept === "en" || kept === "zh") return kept;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export function WordsProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(first);
  useEffect(() => {
    document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  }, [language]);
  const said = useSaid(language);
  const spoken = useMemo<Spoken>(
    () => ({
      language,
      words: said ? { ...ALL[language], said } : ALL[language],
      speak: (chosen) => {
        localStorage.setItem(KEY, chosen);
        setLanguage(chosen);
      },
    }),
    [language, said],
  );
  return <Context.Provider value={spoken}>{children}</Context.Provider>;
}

/** What the server says is English. Its Chinese is long, and comes only to those who read it. */
function useSaid(language: Language): Words["said"] | null {
  const [said, setSaid] = useState<Words["said"] | null>(null);
  const isWanted = language === "zh";
  useEffect(() => {
    // Without it the sentences stay English, which is better than nothing.
    if (isWanted)
      import("./server").then(
        ({ translated }) => setSaid(() => translated),
        () => undefined,
      );
  }, [isWanted]);
  return isWanted ? said : null;
}

export const useSpoken = () => useContext(Context);
export const useWords = () => useContext(Context).words;

/** A moment, as people of that language write it. */
export function moment(at: string | null, language: Language): string {
  if (at === null) return "—";
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", {
    ...(isToday ? {} : { year: "numeric", month: "short", day: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
    ...(isToday ? { second: "2-digit" } : {}),
  }).format(date);
}

/** The day of a moment. */
export function day(at: string, language: Language): string {
  return new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium" }).format(new Date(at));
}

export function duration(seconds: number, words: Words): string {
  if (seconds < 90) return words.task.seconds(Math.max(1, Math.round(seconds)));
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? words.task.minutes(minutes) : words.task.hours(Math.floor(minutes / 60), minutes % 60);
}
