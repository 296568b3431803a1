import { useHotkeys } from "@mantine/hooks";
import { useEffect } from "react";
import { hold, isFree } from "./keyboard";

/** Keeps the keys of the page away from the page, as long as something above it is open. */
export function useHoldKeys(isOpen: boolean): void {
  useEffect(() => (isOpen ? hold() : undefined), [isOpen]);
}

export type KeyBinding = [key: string, act: () => void];

/** Keys of the page. They rest while a dialog or an editor holds the keyboard. */
export function usePageKeys(bindings: KeyBinding[]): void {
  useHotkeys(bindings.map<KeyBinding>(([key, act]) => [key, () => isFree() && act()]));
}
