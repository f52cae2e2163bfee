import { Title } from '@leitstand/contract/common'
import type { DeviceFilters } from '@leitstand/contract/virtualdevices'
import { Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { api, client } from '../../lib/api.ts'
import { check } from '../../lib/validation.ts'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'

const titleLengthMax = 200
const faultsOf = check(z.object({ title: Title }))

interface SaveFilterProps {
  filter: DeviceFilters
  view?: { id: number; version: number; title: string }
  onClose: () => void
}

/** Names a filter: saves a new one, or renames an existing one without changing its filter. */
export default function SaveFilter(props: SaveFilterProps) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={props.onClose}
      title={t(props.view ? 'devices.saved.rename' : 'devices.saved.saveTitle')}
      centered
    >
      <TitleForm {...props} />
    </FormModal>
  )
}

function TitleForm({ filter, view, onClose }: SaveFilterProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => ({ title: view?.title ?? '' }),
    faultsOf,
    save: ({ title }) =>
      view
        ? client.view.update({ id: view.id, version: view.version, title, filter })
        : client.view.create({ title, filter }),
    onMade: async ({ title }) => {
      await cache.invalidateQueries({ queryKey: api.view.key() })
      notifySuccess(t('devices.saved.savedNote', { title }))
      onClose()
    },
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('common.save')}>
      {view ? null : <Text size="sm">{t('devices.saved.saveText')}</Text>}
      <TextInput
        label={t('devices.saved.name')}
        value={values.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
        error={faultAt('title')}
        maxLength={titleLengthMax}
        required
        autoComplete="off"
        data-autofocus
      />
    </DialogForm>
  )
}
