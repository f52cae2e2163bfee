import { Title } from '@leitstand/contract/common'
import { Modal, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { client } from '../../lib/api.ts'
import { check } from '../../lib/validation.ts'
import { useAccounts } from '../../ui/accounts/AccountFilter.tsx'
import { AccountSelect } from '../../ui/accounts/AccountSelect.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { driverTitle, findDrivers, useFirstUse } from '../drivers/index.ts'
import { ConnectorPicker } from './ConnectorPicker.tsx'
import { invalidateTemplates, type Template } from './queries.ts'
import { statesOfDriver } from './states.ts'

interface Values {
  title: string
  accountId: string | null
  connectorId: string | null
  driverId: string | null
}

const Chosen = z.string().min(1)
const faultsOf = check(z.object({ title: Title, accountId: Chosen, connectorId: Chosen, driverId: Chosen }))

/** Dialog that creates a template's draft, with a state for each variable of its driver, and opens it. */
export function CreateTemplate({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const cache = useQueryClient()
  const accounts = useAccounts().data?.items ?? []
  const only = accounts.length === 1 && accounts[0] ? String(accounts[0].id) : null
  const firstUse = useFirstUse()
  const { values, set, faultAt, form, close } = useDialogForm<Values, Template>({
    initial: () => ({ title: '', accountId: null, connectorId: null, driverId: null }),
    faultsOf: (entered) => faultsOf({ ...entered, accountId: entered.accountId ?? only }),
    save: async ({ title, accountId, connectorId, driverId }) => {
      const driver = await client.devicedrivers.get({ id: Number(driverId) })
      const owner = Number(accountId ?? only)
      const accepted = await firstUse.ask({ driverId: driver.id, driverVersion: null, accountId: owner })
      if (accepted === null) return undefined
      return client.deviceTemplate.create({
        ...accepted,
        title: title.trim(),
        accountId: owner,
        content: {
          connectorId: Number(connectorId),
          driverId: driver.id,
          states: statesOfDriver(driver.variables, []),
        },
      })
    },
    onMade: (template) => {
      notifySuccess(t('templates.createdNote', { title: template.title }))
      void invalidateTemplates(cache)
      onClose()
      void navigate({ to: `/device-templates/${template.id}` })
    },
    onClose,
  })
  const accountId = values.accountId ?? only
  return (
    <Modal opened onClose={close} title={t('templates.create')}>
      <DialogForm form={form} saveLabel={t('templates.create')}>
        <TextInput
          label={t('templates.field.title')}
          description={t('templates.titleHint')}
          required
          maxLength={200}
          data-autofocus
          value={values.title}
          onChange={(event) => set({ title: event.currentTarget.value })}
          error={faultAt('title')}
        />
        <AccountSelect
          label={t('templates.field.account')}
          description={t('templates.accountHint')}
          required
          value={accountId}
          onChange={(accountId) => set({ accountId, connectorId: null })}
          error={faultAt('accountId')}
        />
        <ConnectorPicker
          accountId={accountId === null ? null : Number(accountId)}
          value={values.connectorId}
          onChange={(connectorId) => set({ connectorId })}
          error={faultAt('connectorId')}
        />
        <EntityPicker
          label={t('devices.field.driver')}
          description={t('templates.driverHint')}
          required
          value={values.driverId}
          onChange={(driverId) => set({ driverId })}
          load={findDrivers}
          labelOf={driverTitle}
          error={faultAt('driverId')}
        />
      </DialogForm>
      {firstUse.dialog}
    </Modal>
  )
}
