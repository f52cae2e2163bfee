import { Button, Group, Text } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../../ui/display/RelativeTime.tsx'
import { ConfirmDialog } from '../../../ui/feedback/ConfirmDanger.tsx'
import { notifyError } from '../../../ui/feedback/notify.ts'
import { Section } from '../../../ui/page/Section.tsx'
import type { KeptReport } from '../kept/store.ts'
import { discard, keep, useKept, useSendKept } from '../kept/useKept.ts'
import classes from '../tickets.module.css'

/** Reports that wait on this device; nothing while there are none. */
export function KeptReports() {
  const { t } = useTranslation()
  const { data } = useKept()
  const send = useSendKept()
  const [discarding, setDiscarding] = useState<KeptReport>()
  if (!data || data.length === 0) return null
  const retry = async (report: KeptReport) => {
    try {
      await keep({
        ...report,
        refusal: null,
        again: report.again || report.refusal?.code === 'TICKET_DUPLICATE',
      })
      await send()
    } catch (error) {
      notifyError(error)
    }
  }
  return (
    <Section title={t('tickets.kept.title')} description={t('tickets.kept.text')}>
      <ul className={classes.plain}>
        {data.map((report) => (
          <li key={report.key} className={classes.row}>
            <div className={classes.rowText}>
              <Text fw={550}>{report.subject}</Text>
              <Text size="sm" c="dimmed">
                {report.place} · <RelativeTime time={report.atMs} />
              </Text>
              {report.refusal === null ? null : (
                <Text size="sm" c="var(--health-error)">
                  {t('tickets.kept.refused', { reason: report.refusal.text })}
                </Text>
              )}
            </div>
            <Group gap={6}>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconSend size={14} aria-hidden />}
                onClick={() => void retry(report)}
              >
                {t(report.refusal?.code === 'TICKET_DUPLICATE' ? 'tickets.add.again' : 'tickets.kept.retry')}
              </Button>
              <Button size="xs" variant="subtle" color="red" onClick={() => setDiscarding(report)}>
                {t('tickets.kept.discard')}
              </Button>
            </Group>
          </li>
        ))}
      </ul>
      <ConfirmDialog
        opened={discarding !== undefined}
        title={t('tickets.kept.discard')}
        text={t('tickets.kept.discardText', { title: discarding?.subject ?? '' })}
        confirmLabel={t('tickets.kept.discard')}
        danger
        onCancel={() => setDiscarding(undefined)}
        onConfirm={() => {
          if (discarding) void discard(discarding).catch(notifyError)
          setDiscarding(undefined)
        }}
      />
    </Section>
  )
}
