import type { Asset } from '@leitstand/contract/assets'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { AssetFields } from './AssetFields.tsx'
import { useRereadAssets } from './useAssets.ts'

interface Props {
  asset: Asset
  onClose: () => void
}

/** What an asset is and where it belongs. */
export default function EditDialog({ asset, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t('assets.editTitle')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <EditForm asset={asset} onClose={onClose} />
    </FormModal>
  )
}

function EditForm({ asset, onClose }: Props) {
  const { t } = useTranslation()
  const refresh = useRereadAssets()
  const { values, set, form } = useDialogForm({
    initial: () => ({
      category: asset.category,
      inventoryNumber: asset.inventoryNumber,
      homeZoneId: asset.homeZone?.id ?? null,
    }),
    faultsOf: () => ({}),
    save: async (input) => {
      await client.isAssetMgmt.update({ id: asset.id, version: asset.version, ...input })
      await refresh()
      return null
    },
    onMade: () => undefined,
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('common.save')}>
      <AssetFields values={values} set={set} />
      <EntityPicker
        label={t('assets.field.homeZone')}
        description={t('assets.homeHint')}
        value={values.homeZoneId === null ? null : String(values.homeZoneId)}
        load={async (search) => {
          const { items } = await client.isAssetMgmt.zones({
            limit: 20,
            days: 1,
            accountIds: [asset.accountId],
            ...(search ? { search } : {}),
          })
          return items.map(({ id, title }) => ({ value: String(id), label: title }))
        }}
        labelOf={async () => asset.homeZone?.title ?? ''}
        onChange={(id) => set({ homeZoneId: id === null ? null : Number(id) })}
      />
    </DialogForm>
  )
}
