import { useHotkeys } from "@mantine/hooks";
import { useEffect } from "react";

/** How many dialogs and editors have the keyboard for themselves. */
let holders = 0;

/** Keeps the keys of the page away from the page, as long as something above it is open. */
export function useHoldKeys(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    holders += 1;
    return () => {
      // The key that closes a dialog is still on its way to the page: it was not meant for the page.
      setTimeout(() => {
        holders -= 1;
      });
    };
  }, [isOpen]);
}

export type KeyBinding = [key: string, act: () => void];

/** Keys of the page. They rest while a dialog or an editor holds the keyboard. */
export function usePageKeys(bindings: KeyBinding[]): void {
  useHotkeys(bindings.map<KeyBinding>(([key, act]) => [key, () => holders === 0 && act()]));
}
