import { type ReactNode, createContext, useContext, useEffect, useMemo, useState } from "react";
import type { Language } from "../api/template";
import { type Texts, en } from "./en";
import { loadChinese } from "./notice";
import { zh } from "./zh";

const KEY = "ingather-language";
const ALL: Record<Language, Texts> = { en, zh };

interface Localised {
  language: Language;
  texts: Texts;
  setLanguage: (language: Language) => void;
}

const Context = createContext<Localised>({ language: "en", texts: en, setLanguage: () => undefined });

function first(): Language {
  const kept = localStorage.getItem(KEY);
  if (kept === "en" || kept === "zh") return kept;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export function TextsProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(first);
  useEffect(() => {
    document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  }, [language]);
  const isLoaded = useNotices(language);
  const value = useMemo<Localised>(
    () => ({
      language,
      texts: { ...ALL[language] },
      setLanguage: (chosen) => {
        localStorage.setItem(KEY, chosen);
        setLanguage(chosen);
      },
    }),
    // Loaded notices make new texts, so that what shows them is drawn anew.
    [language, isLoaded], // oxlint-disable-line react-hooks/exhaustive-deps -- see above
  );
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

/** Whether the notices of the server are there in this language. Until then, or without them, they are English. */
function useNotices(language: Language): boolean {
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    if (language === "zh")
      loadChinese().then(
        () => setLoaded(true),
        () => undefined,
      );
  }, [language]);
  return isLoaded;
}

export const useLanguage = () => useContext(Context);
export const useTexts = () => useContext(Context).texts;
export { compact, count, day, duration, moment } from "./format";
