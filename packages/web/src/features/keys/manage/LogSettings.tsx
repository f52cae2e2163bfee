import { keyLimits } from '@leitstand/contract/keys'
import { NumberInput, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { useUser } from '../../../lib/session.ts'
import { AccountSelect } from '../../../ui/accounts/AccountSelect.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { DialogForm, useDialogForm } from '../../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../../ui/forms/FormModal.tsx'

/** How long an account keeps its log. */
export default function LogSettings({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const [accountId, setAccountId] = useState(useUser().accountId)
  const query = useQuery(api.isfmAccessMgmt.settings.queryOptions({ input: { accountId }, gcTime: 0 }))
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t('keys.logSettings')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <Stack gap="md">
        <AccountSelect
          label={t('keys.field.account')}
          required
          value={String(accountId)}
          onChange={(id) => id !== null && setAccountId(Number(id))}
        />
        {query.isError ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
        ) : null}
        {query.isPending ? <Loading lines={2} /> : null}
        {query.data ? (
          <MonthsForm key={accountId} accountId={accountId} months={query.data.logMonths} onClose={onClose} />
        ) : null}
      </Stack>
    </FormModal>
  )
}

function MonthsForm({
  accountId,
  months,
  onClose,
}: {
  accountId: number
  months: number
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { values, set, form } = useDialogForm({
    initial: () => ({ logMonths: months }),
    faultsOf: () => ({}),
    save: async ({ logMonths }) => {
      await client.isfmAccessMgmt.setSettings({ accountId, logMonths })
      return null
    },
    onMade: () => undefined,
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('common.save')}>
      <NumberInput
        label={t('keys.field.logMonths')}
        description={t('keys.logMonthsHint')}
        min={1}
        max={keyLimits.logMonthsMax}
        allowDecimal={false}
        clampBehavior="strict"
        value={values.logMonths}
        onChange={(next) => set({ logMonths: Number(next) || 1 })}
      />
    </DialogForm>
  )
}
