import type { Asset } from '@leitstand/contract/assets'
import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { leaveRule, returnRule, zoneToWatch } from './leaveAlarm.ts'
import { findZones, nameZone } from './useAssetFilters.ts'

interface Props {
  asset: Asset
  onClose: () => void
}

/** An alarm when an asset leaves a zone: two rules of the asset, one that raises it and one that resolves it. */
export default function LeaveAlarmDialog({ asset, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t('assets.leaveAlarm.title')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <LeaveAlarmForm asset={asset} onClose={onClose} />
    </FormModal>
  )
}

function LeaveAlarmForm({ asset, onClose }: Props) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const first = zoneToWatch(asset)
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => ({ zoneId: first === null ? null : String(first.id) }),
    faultsOf: ({ zoneId }) => (zoneId === null ? { zoneId: t('validation.required') } : {}),
    save: async ({ zoneId }) => {
      const id = Number(zoneId)
      const zone = { id, title: id === first?.id ? first.title : await nameZone(String(id)) }
      await createAlarm(asset, zone)
      await cache.invalidateQueries({ queryKey: api.ddr.key() })
      return zone
    },
    onMade: (zone) => {
      notifySuccess(t('assets.leaveAlarm.done', { zone: zone.title }))
      onClose()
    },
    onClose,
  })

  async function createAlarm({ id: dtwinId, title }: Asset, zone: { id: number; title: string }) {
    const { id } = await client.ddr.create({ dtwinId, ...leaveRule(t, { title }, zone) })
    try {
      await client.ddr.create({ dtwinId, ...returnRule(t, zone, id) })
    } catch (error) {
      // An alarm that never ends by itself is not what was asked for.
      await client.ddr.delete({ id })
      throw error
    }
  }

  return (
    <DialogForm form={form} saveLabel={t('assets.leaveAlarm.save')}>
      <Text size="sm">{t('assets.leaveAlarm.text', { asset: asset.title })}</Text>
      <EntityPicker
        isFirst
        label={t('assets.field.zone')}
        required
        value={values.zoneId}
        load={findZones}
        labelOf={nameZone}
        onChange={(zoneId) => set({ zoneId })}
        error={faultAt('zoneId')}
      />
    </DialogForm>
  )
}
