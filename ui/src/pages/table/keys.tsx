import { Dialog } from "../../components/dialog";
import { useTexts } from "../../texts";

export function Keys({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const texts = useTexts();
  const all: [string[], string][] = [
    [["J"], texts.keys.next],
    [["K"], texts.keys.previous],
    [["Shift", "J / K"], texts.keys.nextDocument],
    [["G"], texts.keys.go],
    [["A"], texts.keys.accept],
    [["E"], texts.keys.edit],
    [["1 – 9"], texts.keys.option],
    [["N"], texts.keys.notReported],
    [["P"], texts.keys.notApplicable],
    [["U"], texts.keys.unclear],
    [["R"], texts.keys.reject],
    [["Z"], texts.keys.undo],
    [["M"], texts.keys.note],
    [["←", "→", "↑", "↓"], texts.keys.arrows],
    [["Enter"], texts.keys.enter],
    [["/"], texts.keys.search],
    [["Esc"], texts.keys.close],
    [["?"], texts.keys.help],
  ];
  return (
    <Dialog opened={isOpen} onClose={close} title={texts.keys.title} size="sm">
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
    </Dialog>
  );
}
