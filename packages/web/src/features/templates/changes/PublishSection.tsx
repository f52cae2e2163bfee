import { Button, Text } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ConfirmDialog } from '../../../ui/feedback/ConfirmDanger.tsx'
import { notifyError, notifySuccess } from '../../../ui/feedback/notify.ts'
import { Section } from '../../../ui/page/Section.tsx'
import { forgetDevices, invalidateTemplates, type Template } from '../queries.ts'
import { SyncBadge } from '../SyncBadge.tsx'

/** State of the template, and the button that publishes its draft and updates the devices. */
export function PublishSection({ template, unsaved }: { template: Template; unsaved: boolean }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [asked, setAsked] = useState(false)
  const [busy, setBusy] = useState(false)
  const { id, version, syncState, deviceCount, changeCount } = template
  const isRunning = syncState === 'running'
  // Devices out of sync can be updated without a change, too.
  const hasWork =
    changeCount > 0 || template.stage === 'draft' || syncState === 'failed' || syncState === 'unknown'
  const publish = async () => {
    setBusy(true)
    try {
      const answer = await client.deviceTemplate.publishAndSync({ id, version })
      cache.setQueryData(api.deviceTemplate.get.queryKey({ input: { id } }), answer.template)
      notifySuccess(t(answer.job === null ? 'templates.published' : 'templates.syncStarted'))
      setAsked(false)
    } catch (error) {
      notifyError(error)
    } finally {
      setBusy(false)
      forgetDevices(cache)
      await invalidateTemplates(cache)
    }
  }
  return (
    <Section
      title={t('templates.publishTitle')}
      description={t('templates.publishText')}
      actions={
        template.editable ? (
          <Button
            leftSection={<Icon of={IconUpload} />}
            disabled={unsaved || isRunning || !hasWork}
            onClick={() => setAsked(true)}
          >
            {t('templates.publish')}
          </Button>
        ) : undefined
      }
    >
      <SyncBadge state={syncState} />
      <Text size="sm" mt={6}>
        {template.stage === 'draft'
          ? t('templates.neverPublishedText')
          : t(`templates.syncText.${syncState}`, { count: deviceCount })}
      </Text>
      {unsaved ? (
        <Text size="sm" c="dimmed" mt={6}>
          {t('deviceHealth.syncUnsaved')}
        </Text>
      ) : null}
      <ConfirmDialog
        opened={asked}
        title={t('templates.publish')}
        text={
          deviceCount === 0
            ? t('templates.publishQuestionNone')
            : t('templates.publishQuestion', { count: deviceCount })
        }
        confirmLabel={t('templates.publish')}
        busy={busy}
        onConfirm={() => void publish()}
        onCancel={() => setAsked(false)}
      />
    </Section>
  )
}
