import type { ActionOutcome, RuleAction } from '@leitstand/contract/rules'
import { Button, Group } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useCan } from '../../lib/session.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Deliveries } from './Deliveries.tsx'
import type { RuleDraft } from './draft.ts'
import { toMetrics } from './draft.ts'
import { MailOutcomes } from './MailOutcomes.tsx'

interface ActionTestProps {
  objectId: number
  draft: Pick<RuleDraft, 'title' | 'metrics'>
  /** null: it is incomplete */
  action: RuleAction | null
}

/** Really sends an action, marked as a test, with the current values. */
export function ActionTest({ objectId, draft, action }: ActionTestProps) {
  const { t } = useTranslation()
  const can = useCan()
  const test = useMutation(api.ddr.testExecuteAction.mutationOptions())
  const metrics = toMetrics(draft.metrics)
  const ready = action !== null && metrics.length > 0 && metrics.length === draft.metrics.length
  if (!can('DigitalTwin', 'write')) return null
  return (
    <div>
      <Group gap="sm">
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Icon of={IconSend} size={14} />}
          disabled={!ready}
          loading={test.isPending}
          onClick={() =>
            action &&
            test.mutate({
              dtwinId: objectId,
              title: draft.title.trim() || t('rules.testTitle'),
              metrics,
              action,
            })
          }
        >
          {t('rules.sendTest')}
        </Button>
      </Group>
      <div aria-live="polite">
        {test.isError ? <ErrorText error={test.error} /> : null}
        {test.data ? <Outcome outcome={test.data as ActionOutcome} /> : null}
      </div>
    </div>
  )
}

function Outcome({ outcome: { kind, mails, deliveries } }: { outcome: ActionOutcome }) {
  return (
    <>
      {mails ? <MailOutcomes mails={mails} /> : null}
      {deliveries ? <Deliveries kind={kind} deliveries={deliveries} /> : null}
    </>
  )
}
