import { Alert, Button, Checkbox, Fieldset, Modal, SegmentedControl, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { DialogFoot } from '../../ui/forms/DialogFoot.tsx'
import { useChanged, useLeave } from '../../ui/forms/useLeave.tsx'
import type { TwinActionProps } from '../twins/index.ts'
import { SyncPreview } from './SyncPreview.tsx'
import { TargetsByFilter, TargetsByName } from './TargetFields.tsx'
import { noTargets, selectionOf, type Targets, withSyncPart } from './targets.ts'

const partNames = ['states', 'rules', 'typeFields', 'icon', 'removeOthers'] as const

const usual = { states: true, rules: true, typeFields: false, icon: false, removeOthers: false }

/** Makes other twins like this one, after showing what that changes. Opens the job. */
export default function SynchronizeTwin({ twin, onClose }: TwinActionProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [targets, setTargets] = useState<Targets>(noTargets)
  const [parts, setParts] = useState(usual)
  const [ready, setReady] = useState<number | null>(null)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const { close, question } = useLeave(useChanged({ targets, parts }) && !busy, onClose)
  const selection = selectionOf(targets)
  const change = (changed: Partial<Targets>) => setTargets((before) => ({ ...before, ...changed }))

  const run = async () => {
    if (selection === null) return
    setBusy(true)
    setFailure(undefined)
    try {
      const { id } = await client.twinCopy.synchronize({ id: twin.id, selection, ...parts })
      onClose()
      await navigate({ to: '/background-jobs', search: { job: String(id) }, ignoreBlocker: true })
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }
  return (
    <Modal opened onClose={close} title={t('copies.sync.heading', { title: twin.title })} size="xl" centered>
      <Stack gap="md">
        <Text size="sm">{t('copies.sync.text')}</Text>
        <SegmentedControl
          aria-label={t('copies.sync.targets')}
          value={targets.by}
          onChange={(by) => change({ by: by as Targets['by'] })}
          data={[
            { value: 'names', label: t('copies.sync.byNames') },
            { value: 'filter', label: t('copies.sync.byFilter') },
          ]}
        />
        {targets.by === 'names' ? (
          <TargetsByName twinId={twin.id} value={targets.ids} onChange={(ids) => change({ ids })} />
        ) : (
          <TargetsByFilter value={targets.filter} onChange={(filter) => change({ filter })} />
        )}
        <Fieldset
          variant="unstyled"
          p={0}
          m={0}
          bd={0}
          legend={
            <Text component="span" size="sm" fw={600}>
              {t('copies.sync.parts')}
            </Text>
          }
        >
          <Stack gap="xs" mt={6}>
            {partNames.map((part) => (
              <Checkbox
                key={part}
                label={t(`copies.sync.part.${part}`)}
                description={part === 'rules' ? undefined : t(`copies.sync.hint.${part}`)}
                checked={parts[part]}
                disabled={part === 'rules' && !parts.states}
                onChange={(event) => setParts(withSyncPart(parts, part, event.currentTarget.checked))}
              />
            ))}
          </Stack>
        </Fieldset>
        {selection === null ? (
          <Alert color="gray">{t('copies.sync.choose')}</Alert>
        ) : (
          <SyncPreview id={twin.id} selection={selection} parts={parts} onReady={setReady} />
        )}
        {failure === undefined ? null : <ErrorText error={failure} />}
        <DialogFoot>
          <Button variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button
            onClick={() => void run()}
            loading={busy}
            disabled={selection === null || !ready}
            {...(parts.removeOthers ? { color: 'red' } : {})}
          >
            {t('copies.sync.run', { count: ready ?? 0 })}
          </Button>
        </DialogFoot>
      </Stack>
      {question}
    </Modal>
  )
}
