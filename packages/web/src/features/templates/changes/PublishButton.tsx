import { Button, Tooltip } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ConfirmDialog } from '../../../ui/feedback/ConfirmDanger.tsx'
import { notifyError, notifySuccess } from '../../../ui/feedback/notify.ts'
import { forgetDevices, invalidateTemplates, type Template } from '../queries.ts'

/** Whether there is something to publish; devices out of sync can be updated without a change, too. */
export function hasWork({ changeCount, stage, syncState }: Template): boolean {
  return changeCount > 0 || stage === 'draft' || syncState === 'failed' || syncState === 'unknown'
}

/** Publishes the draft of a template and updates its devices; shown while there is something to publish. */
export function PublishButton({ template, unsaved }: { template: Template; unsaved: boolean }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [asked, setAsked] = useState(false)
  const [busy, setBusy] = useState(false)
  const { id, version, syncState, deviceCount } = template
  if (!template.editable || !hasWork(template)) return null
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
    <>
      <Tooltip label={t('deviceHealth.syncUnsaved')} disabled={!unsaved}>
        <Button
          leftSection={<Icon of={IconUpload} />}
          disabled={unsaved || syncState === 'running'}
          onClick={() => setAsked(true)}
        >
          {t('templates.publish')}
        </Button>
      </Tooltip>
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
    </>
  )
}
