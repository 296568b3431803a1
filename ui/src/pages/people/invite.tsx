import { Button, Code, CopyButton, Select } from "@mantine/core";
import { useState } from "react";
import { ROLES, type Role, useInvitations, useMembership } from "../../api/people";
import { Icon } from "../../components/icon";
import { Refusal } from "../../components/states";
import { moment, useLanguage } from "../../texts";

/** A link for one person. What stands behind the # is shown once and sent to no server until it is used. */
export function Invite({ projectId }: { projectId: number }) {
  const { texts, language } = useLanguage();
  const t = texts.people;
  const [role, setRole] = useState<Role>("reviewer");
  const { invite, revoke } = useMembership(projectId);
  const open = useInvitations(projectId, true);
  const link = invite.data ? `${window.location.origin}/join#${invite.data.secret}` : "";
  return (
    <section className="card people-card" aria-label={t.invite}>
      <h2>{t.invite}</h2>
      <p className="dim">{t.inviteLead}</p>
      <div className="people-line">
        <Select
          size="sm"
          label={t.inviteAs}
          data={ROLES.map((value) => ({ value, label: t.roles[value] }))}
          value={role}
          allowDeselect={false}
          onChange={(value) => value && setRole(value)}
        />
        <Button loading={invite.isPending} leftSection={<Icon name="plus" />} onClick={() => invite.mutate(role)}>
          {t.makeLink}
        </Button>
      </div>
      <Refusal error={invite.error ?? revoke.error} />
      {link && (
        <div className="people-link" role="status">
          <p className="plain">{t.linkMade}</p>
          <Code block data-testid="invitation">
            {link}
          </Code>
          <CopyButton value={link}>
            {({ copied, copy }) => (
              <Button
                size="xs"
                variant="default"
                leftSection={<Icon name={copied ? "check" : "copy"} />}
                onClick={copy}
              >
                {copied ? texts.state.copied : t.copyLink}
              </Button>
            )}
          </CopyButton>
        </div>
      )}
      {!!open.data?.length && (
        <>
          <h3>{t.invitations}</h3>
          <ul className="people-list">
            {open.data.map((one) => (
              <li key={one.invitation_id}>
                <span>
                  <b>{t.roles[one.role]}</b>{" "}
                  <span className="dim">{t.invitedBy(one.made_by, moment(one.expires_at, language))}</span>
                </span>
                <Button size="xs" variant="subtle" color="red" onClick={() => revoke.mutate(one.invitation_id)}>
                  {t.takeBack}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
