import { Modal, type ModalProps } from "@mantine/core";
import { useHoldKeys } from "./keys";

/** A dialog above the page. While it is open the keys of the page rest, and the page scrolls as before. */
export function Dialog(props: ModalProps) {
  useHoldKeys(props.opened);
  return <Modal lockScroll={false} {...props} />;
}
