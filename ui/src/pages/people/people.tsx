import { useParams } from "react-router";
import { useMembers, useMyRole } from "../../api/people";
import { Failed, Loading } from "../../components/states";
import { Steps } from "../../components/task";
import { useTexts } from "../../texts";
import { Invite } from "./invite";
import { Members } from "./members";
import { ReviewModeCard } from "./review-mode";

/** Who works on a project, how somebody joins, and how two people review it. */
export function PeoplePage() {
  const texts = useTexts();
  const projectId = Number(useParams().projectId);
  const members = useMembers(projectId);
  const { isOwner } = useMyRole(projectId);
  return (
    <div className="page">
      <Steps projectId={projectId} title={texts.people.title} />
      <header className="page-head">
        <div>
          <h1>{texts.people.title}</h1>
          <p className="lead">{texts.people.lead}</p>
        </div>
      </header>
      {members.isPending && <Loading />}
      {members.isError && <Failed error={members.error} again={() => void members.refetch()} />}
      {members.data && <Members projectId={projectId} members={members.data} isOwner={isOwner} />}
      {isOwner && <Invite projectId={projectId} />}
      <ReviewModeCard projectId={projectId} isOwner={isOwner} />
    </div>
  );
}
