import type { AlarmTimes } from '@leitstand/contract/alarms'
import { Button, NumberInput, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { reread } from '../../lib/reread.ts'
import { useCan, useUser } from '../../lib/session.ts'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'

/** Minutes: a day, a day, a week. */
const limits = { openAfterS: 1_440, resolveAfterS: 1_440, reopenWithinS: 10_080 } as const
const fields = ['openAfterS', 'resolveAfterS', 'reopenWithinS'] as const

/** How long causes have to last until alarms of an account open and end. */
export function TimesDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const user = useUser()
  const [accountId, setAccountId] = useState(user.accountId)
  const times = useQuery(api.alarmLogs.times.queryOptions({ input: { accountId } }))
  const { fromAccount } = times.data ?? {}
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t('alarms.times.heading')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <Text size="sm" c="dimmed" mb="md">
        {t('alarms.times.text')}
      </Text>
      <AccountSelect
        label={t('alarms.account')}
        required
        value={String(accountId)}
        onChange={(id) => setAccountId(Number(id ?? user.accountId))}
      />
      {times.error ? <ErrorText error={times.error} /> : null}
      {times.isPending ? <Loading lines={4} /> : null}
      {times.data ? (
        <>
          <Text size="xs" c="dimmed" mt={4} mb="md">
            {fromAccount
              ? fromAccount.id === accountId
                ? t('alarms.times.own')
                : t('alarms.times.inherited', { name: fromAccount.name })
              : t('alarms.times.defaults')}
          </Text>
          <TimesForm
            key={accountId}
            accountId={accountId}
            times={times.data}
            isOwn={fromAccount?.id === accountId}
            onClose={onClose}
          />
        </>
      ) : null}
    </FormModal>
  )
}

interface TimesFormProps {
  accountId: number
  times: AlarmTimes
  isOwn: boolean
  onClose: () => void
}

function TimesForm({ accountId, times, isOwn, onClose }: TimesFormProps) {
  const { t } = useTranslation()
  const can = useCan()
  const cache = useQueryClient()
  const store = async (changed: AlarmTimes | null) => {
    await client.alarmLogs.setTimes({ accountId, times: changed })
    await reread(cache, api.alarmLogs.key())
    return null
  }
  const { values, set, form } = useDialogForm({
    // Minutes, as people think of them.
    initial: () => ({
      openAfterS: times.openAfterS / 60,
      resolveAfterS: times.resolveAfterS / 60,
      reopenWithinS: times.reopenWithinS / 60,
    }),
    faultsOf: () => ({}),
    save: ({ openAfterS, resolveAfterS, reopenWithinS }) =>
      store({
        openAfterS: Math.round(openAfterS * 60),
        resolveAfterS: Math.round(resolveAfterS * 60),
        reopenWithinS: Math.round(reopenWithinS * 60),
      }),
    onMade: () => undefined,
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('common.save')}>
      {fields.map((field) => (
        <NumberInput
          key={field}
          label={t(`alarms.times.${field}`)}
          description={t(`alarms.times.${field}Hint`)}
          min={0}
          max={limits[field]}
          clampBehavior="strict"
          suffix={` ${t('alarms.times.minutes')}`}
          disabled={!can('VirtualDevice', 'manage')}
          value={values[field]}
          onChange={(minutes) => set({ [field]: Number(minutes) || 0 })}
        />
      ))}
      {isOwn && can('VirtualDevice', 'manage') ? (
        <Button
          variant="subtle"
          size="compact-sm"
          style={{ alignSelf: 'start' }}
          onClick={() => void store(null).then(onClose)}
        >
          {t('alarms.times.reset')}
        </Button>
      ) : null}
    </DialogForm>
  )
}
