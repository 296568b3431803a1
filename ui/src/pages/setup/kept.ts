import { useCallback, useEffect, useRef, useState } from "react";

/** State that a reload of the page does not lose. It lives as long as the tab. */
export function useKept<T>(name: string, usual: T): [T, (value: T | ((old: T) => T)) => void] {
  const key = `ingather/${name}`;
  const otherwise = useRef(usual);
  const [state, setState] = useState<{ key: string; value: T }>(() => ({ key, value: read(key, usual) }));
  if (state.key !== key) setState({ key, value: read(key, usual) });
  useEffect(() => {
    sessionStorage.setItem(state.key, JSON.stringify(state.value));
  }, [state]);
  const set = useCallback(
    (next: T | ((old: T) => T)) =>
      setState((old) => {
        const before = old.key === key ? old.value : read(key, otherwise.current);
        const after = typeof next === "function" ? (next as (old: T) => T)(before) : next;
        return old.key === key && after === before ? old : { key, value: after };
      }),
    [key],
  );
  return [state.key === key ? state.value : read(key, usual), set];
}

/** Kept for another page of this tab. */
export function keep(name: string, value: unknown): void {
  sessionStorage.setItem(`ingather/${name}`, JSON.stringify(value));
}

export function kept<T>(name: string): T | null {
  return read<T | null>(`ingather/${name}`, null);
}

function read<T>(key: string, usual: T): T {
  const kept = sessionStorage.getItem(key);
  if (kept === null) return usual;
  try {
    return JSON.parse(kept) as T;
  } catch {
    return usual;
  }
}

/** Works where the page is served without TLS too, unlike crypto.randomUUID. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
