import type { ApiKey } from '@leitstand/contract'
import { Select } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'

const overlaps = ['0', '1', '24', '168'] as const

interface RotateDialogProps {
  apiKey: ApiKey
  onClose: () => void
  onToken: (token: string) => void
}

/** Issues a new token for a key; the old one can stay valid until programs have switched. */
export function RotateDialog({ apiKey, onClose, onToken }: RotateDialogProps) {
  const { t } = useTranslation()
  const [hours, setHours] = useState<string>('24')
  const rotate = useMutation({
    mutationFn: () =>
      client.apikey.rotate({ id: apiKey.id, version: apiKey.version, overlapHours: Number(hours) }),
    onSuccess: ({ token }) => onToken(token),
  })
  return (
    <ConfirmDialog
      opened
      title={t('apiKeys.rotate')}
      text={t('apiKeys.rotateText', { title: apiKey.title })}
      confirmLabel={t('apiKeys.rotate')}
      onConfirm={() => rotate.mutate()}
      onCancel={onClose}
      busy={rotate.isPending}
    >
      <Select
        label={t('apiKeys.overlap')}
        data={overlaps.map((value) => ({ value, label: t(`apiKeys.overlaps.${value}`) }))}
        value={hours}
        allowDeselect={false}
        onChange={(value) => value !== null && setHours(value)}
      />
      {rotate.isError ? <ErrorText error={rotate.error} /> : null}
    </ConfirmDialog>
  )
}
