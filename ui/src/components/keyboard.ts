/** How many dialogs and editors have the keyboard for themselves. */
let holders = 0;

/** Whether the keys are the page's own. */
export const isFree = (): boolean => holders === 0;

/** Takes the keyboard for something above the page; what is returned gives it back. */
export function hold(): () => void {
  holders += 1;
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    // The key that closes a dialog is still on its way to the page: it was not meant for the page.
    setTimeout(() => {
      holders -= 1;
    });
  };
}
