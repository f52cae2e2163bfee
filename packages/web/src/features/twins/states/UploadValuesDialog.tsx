import type { State } from '@leitstand/contract/states'
import { Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { UploadFields } from './UploadFields.tsx'
import { useStatesChanged } from './useStates.ts'

interface UploadValuesDialogProps {
  objectId: number
  /** of the twin or device, or of the state */
  title: string
  /** only values of this state */
  state?: State
  onClose: () => void
}

/** Uploads values from a file: shows what it holds and what is wrong with it, and stores the rest. */
export default function UploadValuesDialog({ objectId, title, state, onClose }: UploadValuesDialogProps) {
  const { t } = useTranslation()
  const changed = useStatesChanged(objectId)
  const [file, setFile] = useState<File | null>(null)
  const send = (chosen: File, dryRun: boolean) =>
    client.stateValue.upload({
      file: chosen,
      dtwinId: objectId,
      ...(state ? { stateId: state.id } : {}),
      dryRun,
    })
  const check = useMutation({ mutationFn: (chosen: File) => send(chosen, true) })
  const upload = useMutation({
    mutationFn: (chosen: File) => send(chosen, false),
    onSuccess: async ({ values, job }) => {
      notifySuccess(job === null ? t('valueUpload.done', { count: values }) : t('valueUpload.started'))
      await changed()
      onClose()
    },
  })
  const choose = (chosen: File | null) => {
    setFile(chosen)
    upload.reset()
    check.reset()
    if (chosen) check.mutate(chosen)
  }
  return (
    <Modal opened onClose={onClose} size="lg" title={t('valueUpload.title', { title })}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t(state ? 'valueUpload.textOne' : 'valueUpload.text')}
        </Text>
        <UploadFields file={file} onChoose={choose} check={check} upload={upload} onClose={onClose} />
      </Stack>
    </Modal>
  )
}
