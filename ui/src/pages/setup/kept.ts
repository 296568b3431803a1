import { useCallback, useEffect, useState } from "react";

/** State that a reload of the page does not lose. It lives as long as the tab. */
export function useKept<T>(name: string, usual: T): [T, (value: T | ((old: T) => T)) => void] {
  const key = `ingather/${name}`;
  const [state, setState] = useState<{ key: string; value: T }>(() => ({ key, value: read(key, usual) }));
  const value = state.key === key ? state.value : read(key, usual);
  useEffect(() => {
    if (state.key !== key) setState({ key, value: read(key, usual) });
  }, [key, state.key, usual]);
  const set = useCallback(
    (next: T | ((old: T) => T)) =>
      setState((old) => {
        const before = old.key === key ? old.value : read(key, usual);
        const after = typeof next === "function" ? (next as (old: T) => T)(before) : next;
        sessionStorage.setItem(key, JSON.stringify(after));
        return { key, value: after };
      }),
    [key, usual],
  );
  return [value, set];
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
