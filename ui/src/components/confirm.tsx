import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Dialog } from "./dialog";
import { useTexts } from "../texts";

interface Props {
  isOpen: boolean;
  text: string;
  action: string;
  keep?: string;
  isBusy: boolean;
  close: () => void;
  go: () => void;
  children?: ReactNode;
}

/** A question before something that cannot be undone. */
export function Confirm(props: Props) {
  const texts = useTexts();
  return (
    <Dialog opened={props.isOpen} onClose={props.close} withCloseButton={false} centered>
      <div className="form">
        <p className="plain">{props.text}</p>
        {props.children}
        <div className="form-end">
          <Button variant="default" onClick={props.close} data-autofocus>
            {props.keep ?? texts.state.cancel}
          </Button>
          <Button color="red" loading={props.isBusy} onClick={props.go}>
            {props.action}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
