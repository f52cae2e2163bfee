import { TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { findTwins, nameTwin } from '../twins/index.ts'
import { AssetFields } from './AssetFields.tsx'
import { assetPath } from './pure.ts'
import { useRereadAssets } from './useAssets.ts'

/** A new asset: a twin that moves. */
export default function AddDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t('assets.addTitle')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <AddForm onClose={onClose} />
    </FormModal>
  )
}

function AddForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const refresh = useRereadAssets()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => ({ title: '', parentId: null as string | null, category: '', inventoryNumber: '' }),
    faultsOf: ({ title, parentId }) => ({
      ...(title.trim() === '' ? { title: t('validation.required') } : {}),
      ...(parentId === null ? { parentId: t('validation.required') } : {}),
    }),
    save: async ({ title, parentId, ...rest }) => {
      const rows = [{ title: title.trim(), ...rest }]
      const { ids } = await client.isAssetMgmt.import({ parentId: Number(parentId), rows })
      await refresh()
      return ids[0] ?? null
    },
    onMade: (id) => void navigate({ to: assetPath(id) }),
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('assets.add')}>
      <TextInput
        data-autofocus
        label={t('assets.field.title')}
        required
        maxLength={200}
        value={values.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
        error={faultAt('title')}
      />
      <EntityPicker
        label={t('assets.parent')}
        description={t('assets.parentHint')}
        required
        value={values.parentId}
        load={findTwins}
        labelOf={nameTwin}
        onChange={(parentId) => set({ parentId })}
        error={faultAt('parentId')}
      />
      <AssetFields values={values} set={set} />
    </DialogForm>
  )
}
