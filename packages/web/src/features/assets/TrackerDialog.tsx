import type { Asset } from '@leitstand/contract/assets'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { useRereadAssets } from './useAssets.ts'

interface Props {
  asset: Asset
  onClose: () => void
}

async function findDevices(search: string) {
  const { items } = await client.isAssetMgmt.devices({ limit: 20, ...(search ? { search } : {}) })
  return items.map(({ id, title, externalId }) => ({ value: String(id), label: `${title} (${externalId})` }))
}

/** Chooses the device that reports where an asset is. */
export default function TrackerDialog({ asset, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t('assets.bindTitle')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <TrackerForm asset={asset} onClose={onClose} />
    </FormModal>
  )
}

function TrackerForm({ asset, onClose }: Props) {
  const { t } = useTranslation()
  const refresh = useRereadAssets()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => ({ deviceId: null as string | null }),
    faultsOf: ({ deviceId }) => (deviceId === null ? { deviceId: t('validation.required') } : {}),
    save: async ({ deviceId }) => {
      await client.isAssetMgmt.bindTracker({ id: asset.id, deviceId: Number(deviceId) })
      await refresh()
      return null
    },
    onMade: () => undefined,
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('assets.bind')}>
      <EntityPicker
        isFirst
        label={t('assets.device')}
        description={t('assets.deviceHint')}
        required
        value={values.deviceId}
        load={findDevices}
        onChange={(deviceId) => set({ deviceId })}
        error={faultAt('deviceId')}
      />
    </DialogForm>
  )
}
