import { Modal } from "@mantine/core";
import { useWords } from "../../words";

export function Keys({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const words = useWords();
  const all: [string[], string][] = [
    [["J"], words.keys.next],
    [["K"], words.keys.previous],
    [["Shift", "J / K"], words.keys.nextDocument],
    [["G"], words.keys.go],
    [["A"], words.keys.accept],
    [["E"], words.keys.edit],
    [["1 – 9"], words.keys.option],
    [["N"], words.keys.notReported],
    [["P"], words.keys.notApplicable],
    [["U"], words.keys.unclear],
    [["R"], words.keys.reject],
    [["Z"], words.keys.undo],
    [["M"], words.keys.note],
    [["←", "→", "↑", "↓"], words.keys.arrows],
    [["Enter"], words.keys.enter],
    [["/"], words.keys.search],
    [["Esc"], words.keys.close],
    [["?"], words.keys.help],
  ];
  return (
    <Modal opened={isOpen} onClose={close} title={words.keys.title} lockScroll={false} size="sm">
      <dl className="keys">
        {all.map(([names, what]) => (
          <div key={what}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
