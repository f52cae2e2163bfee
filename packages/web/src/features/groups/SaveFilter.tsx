import { Title } from '@leitstand/contract/common'
import { Checkbox, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { check } from '../../lib/validation.ts'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import type { SavedKind } from './kinds.ts'

const titleLengthMax = 200
const faultsOf = check(z.object({ title: Title, shared: z.boolean() }))

interface SaveFilterProps {
  kind: SavedKind<object>
  filter: object
  view?: { id: number; version: number; title: string; shared: boolean }
  onClose: () => void
}

/** Names a filter: saves a new one, or renames or shares an existing one without changing its filter. */
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

function TitleForm({ kind, filter, view, onClose }: SaveFilterProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => ({ title: view?.title ?? '', shared: view?.shared ?? false }),
    faultsOf,
    save: async (written) => {
      await (view
        ? kind.update({ id: view.id, version: view.version, ...written, filter })
        : kind.create({ ...written, filter }))
      return written
    },
    onMade: async ({ title }) => {
      await cache.invalidateQueries({ queryKey: kind.key() })
      notifySuccess(t('devices.saved.savedNote', { title: title.trim() }))
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
      <Checkbox
        label={t('devices.saved.share')}
        description={t('devices.saved.shareHint')}
        checked={values.shared}
        onChange={(event) => set({ shared: event.currentTarget.checked })}
      />
    </DialogForm>
  )
}
