import type { Asset } from '@leitstand/contract/assets'
import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { DateField } from '../../ui/forms/DateField.tsx'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { useRereadAssets } from './useAssets.ts'

interface Props {
  asset: Asset
  onClose: () => void
}

/** As in the contract, without loading its schemas. */
const borrowerMax = 120

/** Who gets an asset, and until when. */
export default function LendDialog({ asset, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t('assets.lendTitle')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <LendForm asset={asset} onClose={onClose} />
    </FormModal>
  )
}

function LendForm({ asset, onClose }: Props) {
  const { t } = useTranslation()
  const refresh = useRereadAssets()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => ({ borrower: '', dueAt: '' }),
    faultsOf: ({ borrower }) => (borrower.trim() === '' ? { borrower: t('validation.required') } : {}),
    save: async ({ borrower, dueAt }) => {
      await client.isAssetMgmt.lend({
        id: asset.id,
        borrower: borrower.trim(),
        dueAt: dueAt === '' ? null : dueAt,
      })
      await refresh()
      return null
    },
    onMade: () => undefined,
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('assets.lend')}>
      <TextInput
        data-autofocus
        label={t('assets.borrower')}
        description={t('assets.borrowerHint')}
        required
        maxLength={borrowerMax}
        value={values.borrower}
        onChange={(event) => set({ borrower: event.currentTarget.value })}
        error={faultAt('borrower')}
      />
      <DateField label={t('assets.dueAt')} value={values.dueAt} onChange={(dueAt) => set({ dueAt })} />
    </DialogForm>
  )
}
