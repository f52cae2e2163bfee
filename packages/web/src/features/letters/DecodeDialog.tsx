import { Button, Group, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { useChanged } from '../../ui/forms/useLeave.tsx'
import { Wizard } from '../../ui/forms/Wizard.tsx'
import { JobPanel } from '../jobs/index.ts'
import { ApplyStep } from './ApplyStep.tsx'
import { ChoiceStep } from './ChoiceStep.tsx'
import { PreviewStep } from './PreviewStep.tsx'
import { type DecodeChoice, type DecodeTarget, toSelection } from './selection.ts'

interface DecodeDialogProps {
  /** undefined: closed */
  target: DecodeTarget | undefined
  onClose: () => void
  /** after it has faded out */
  onClosed?: () => void
}

/** Decodes stored packets again in three steps: selection, preview, job. */
export default function DecodeDialog({ target, onClose, onClosed }: DecodeDialogProps) {
  const { t } = useTranslation()
  const small = useMediaQuery('(max-width: 599.98px)', undefined, { getInitialValueInEffect: false })
  return (
    <FormModal
      opened={target !== undefined}
      onClose={onClose}
      {...(onClosed ? { onExitTransitionEnd: onClosed } : {})}
      title={
        target
          ? t(`decoding.title.${target.kind}`, {
              title: target.title,
              count: target.kind === 'devices' ? target.ids.length : 1,
            })
          : ''
      }
      size="xl"
      fullScreen={small === true}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {target ? <Steps target={target} onClose={onClose} /> : null}
    </FormModal>
  )
}

function Steps({ target, onClose }: { target: DecodeTarget; onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [nowMs] = useState(() => Date.now())
  const [choice, setChoice] = useState<DecodeChoice>({
    range: { preset: '7d' },
    errorsOnly: false,
    version: 'live',
  })
  const dirty = useChanged(choice)
  const [jobId, setJobId] = useState<number>()
  const selection = toSelection(target, choice, nowMs)
  const refresh = useCallback(() => {
    void cache.invalidateQueries({ queryKey: api.virtualdevice.key() })
    void cache.invalidateQueries({ queryKey: api.health.key() })
    void cache.invalidateQueries({ queryKey: api.series.key() })
    void cache.invalidateQueries({ queryKey: api.state.key() })
  }, [cache])
  if (jobId !== undefined) {
    return (
      <>
        <JobPanel id={jobId} onChange={refresh} />
        <Group justify="space-between" mt="md">
          <Text size="sm" c="dimmed">
            {t('decoding.inBackground')}
          </Text>
          <Button variant="default" onClick={onClose}>
            {t('common.close')}
          </Button>
        </Group>
      </>
    )
  }
  return (
    <Wizard
      steps={[
        {
          key: 'what',
          label: t('decoding.step.what'),
          content: <ChoiceStep target={target} value={choice} onChange={setChoice} />,
        },
        {
          key: 'preview',
          label: t('decoding.step.preview'),
          content: <PreviewStep selection={selection} />,
        },
        {
          key: 'apply',
          label: t('decoding.step.apply'),
          content: <ApplyStep selection={selection} />,
        },
      ]}
      dirty={dirty}
      finishLabel={t('decoding.start')}
      onFinish={async () => setJobId((await client.letters.redecode(selection)).id)}
      onCancel={onClose}
    />
  )
}
