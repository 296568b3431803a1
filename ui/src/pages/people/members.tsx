import { Button, Select } from "@mantine/core";
import { useState } from "react";
import { type Member, ROLES, useMembership, useMyRole } from "../../api/people";
import { Confirm } from "../../components/confirm";
import { Refusal } from "../../components/states";
import { useTexts } from "../../texts";

interface Props {
  projectId: number;
  members: Member[];
  isOwner: boolean;
}

interface Question {
  text: string;
  action: string;
  go: () => void;
}

/** Everybody in a project with their role; owners change it. */
export function Members({ projectId, members, isOwner }: Props) {
  const texts = useTexts();
  const t = texts.people;
  const { me } = useMyRole(projectId);
  const { setRole, remove, handOver } = useMembership(projectId);
  const [question, setQuestion] = useState<Question | null>(null);
  const data = ROLES.map((value) => ({ value, label: t.roles[value] }));
  return (
    <section aria-label={t.members}>
      <h2 className="section-title">{t.members}</h2>
      <Refusal error={setRole.error ?? remove.error ?? handOver.error} />
      <div className="card card-flush">
        <table className="list">
          <thead>
            <tr>
              <th>{t.name}</th>
              <th>{t.role}</th>
              <th>
                <span className="unseen">{t.remove}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map((one) => {
              const isMe = one.account_id === me?.account_id;
              return (
                <tr key={one.account_id}>
                  <td>
                    <b>{one.name}</b> {isMe && <span className="tag tag-quiet">{t.you}</span>}
                  </td>
                  <td>
                    {isOwner && !isMe ? (
                      <Select
                        size="xs"
                        className="role-select"
                        aria-label={`${t.role}: ${one.name}`}
                        data={data}
                        value={one.role}
                        allowDeselect={false}
                        onChange={(role) => role && setRole.mutate({ account: one.name, role })}
                      />
                    ) : (
                      t.roles[one.role]
                    )}
                    <span className="dim role-how">{t.rolesHow[one.role]}</span>
                  </td>
                  <td className="cell-end">
                    {isOwner && !isMe && (
                      <>
                        <Button
                          size="xs"
                          variant="subtle"
                          onClick={() =>
                            setQuestion({
                              text: t.handOverSure(one.name),
                              action: t.handOver,
                              go: () => handOver.mutate(one.account_id),
                            })
                          }
                        >
                          {t.handOver}
                        </Button>
                        <Button
                          size="xs"
                          variant="subtle"
                          color="red"
                          onClick={() =>
                            setQuestion({
                              text: t.removeSure(one.name),
                              action: t.remove,
                              go: () => remove.mutate(one.account_id),
                            })
                          }
                        >
                          {t.remove}
                        </Button>
                      </>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <Confirm
        isOpen={question !== null}
        text={question?.text ?? ""}
        action={question?.action ?? ""}
        isBusy={false}
        close={() => setQuestion(null)}
        go={() => {
          question?.go();
          setQuestion(null);
        }}
      />
    </section>
  );
}
