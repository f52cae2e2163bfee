import type { MailOutcome } from '@leitstand/contract/rules'
import { IconCheck, IconClock, IconQuestionMark, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { mailSentence, outcomeGroups, signOfOutcome } from './mailOutcomes.ts'
import classes from './rules.module.css'

export const outcomeIcons = { done: IconCheck, waiting: IconClock, failed: IconX, unknown: IconQuestionMark }

/** What became of the mails of an execution: a line for every outcome, with the reason. */
export function MailOutcomes({ mails }: { mails: readonly MailOutcome[] }) {
  const { t } = useTranslation()
  return outcomeGroups(mails).map((group) => {
    const sign = signOfOutcome[group.outcome]
    return (
      <div key={`${group.outcome} ${group.reason}`} className={classes.done} data-sign={sign}>
        <Icon of={outcomeIcons[sign]} size={15} />
        <span>{mailSentence(t, group)}</span>
      </div>
    )
  })
}
