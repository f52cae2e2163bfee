import type { Delivery } from '@leitstand/contract/rules'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { deliverySentence, signOfDelivery } from './deliveries.ts'
import { outcomeIcons } from './MailOutcomes.tsx'
import classes from './rules.module.css'

/** What became of the messages of an action: a line for each, with the reason. */
export function Deliveries({ kind, deliveries }: { kind: string; deliveries: readonly Delivery[] }) {
  const { t } = useTranslation()
  return deliveries.map((delivery) => {
    const sign = signOfDelivery[delivery.outcome]
    const sentence = deliverySentence(t, kind, delivery)
    return (
      <div key={sentence} className={classes.done} data-sign={sign}>
        <Icon of={outcomeIcons[sign]} size={15} />
        <span>{sentence}</span>
      </div>
    )
  })
}
