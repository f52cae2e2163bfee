import type { DeviceFilters } from '@leitstand/contract/virtualdevices'
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { useChanged, useLeave } from '../../ui/forms/useLeave.tsx'

const titleLengthMax = 200

/** Names a filter: saves a new one, or renames an existing one without changing its filter. */
export default function SaveFilter(props: {
  filter: DeviceFilters
  view?: { id: number; version: number; title: string }
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { filter, view, onClose } = props
  const cache = useQueryClient()
  const [title, setTitle] = useState(view?.title ?? '')
  const done = async () => {
    await cache.invalidateQueries({ queryKey: api.view.key() })
    notifySuccess(t('devices.saved.savedNote', { title: title.trim() }))
    onClose()
  }
  const create = useMutation(api.view.create.mutationOptions({ onSuccess: done }))
  const rename = useMutation(api.view.update.mutationOptions({ onSuccess: done }))
  const { error, isPending } = view ? rename : create
  const { close, question } = useLeave(useChanged(title) && !isPending, onClose)
  const save = () =>
    view
      ? rename.mutate({ id: view.id, version: view.version, title, filter })
      : create.mutate({ title, filter })
  return (
    <Modal
      opened
      onClose={close}
      title={t(view ? 'devices.saved.rename' : 'devices.saved.saveTitle')}
      centered
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <Stack gap="md">
          {view ? null : <Text size="sm">{t('devices.saved.saveText')}</Text>}
          <TextInput
            label={t('devices.saved.name')}
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
            maxLength={titleLengthMax}
            required
            autoComplete="off"
            data-autofocus
          />
          {error ? <ErrorText error={error} /> : null}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={isPending} disabled={title.trim() === ''}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
      {question}
    </Modal>
  )
}
