import { Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { fieldIssues } from '../../lib/errors.ts'
import { useUser } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { useAccounts } from '../../ui/accounts/AccountFilter.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { endDetour, keptFromDetour } from '../../ui/forms/detour.ts'
import { useCheckedForm } from '../../ui/forms/useCheckedForm.ts'
import { Wizard } from '../../ui/forms/Wizard.tsx'
import {
  ConnectorStep,
  checkDevice,
  type Device,
  type DeviceValues,
  emptyDevice,
  invalidateDevices,
  toInput,
  useConnector,
  useConnectorDetour,
} from '../devices/index.ts'
import { useFirstUse } from '../drivers/index.ts'
import { AccountStep } from './AccountStep.tsx'
import { DriverStep } from './DriverStep.tsx'
import { FirstPacket } from './FirstPacket.tsx'
import { IdentityStep } from './IdentityStep.tsx'
import { PlaceStep } from './PlaceStep.tsx'
import { PropertiesStep } from './PropertiesStep.tsx'
import { SummaryStep } from './SummaryStep.tsx'
import { TemplateStep } from './TemplateStep.tsx'
import { required, useTemplateChoice } from './useTemplateChoice.ts'

/** Creates a device step by step, from the account on; then waits for its first packet. */
export default function CreateDevice() {
  const { t } = useTranslation()
  const [created, setCreated] = useState<Device | undefined>(undefined)
  const [round, setRound] = useState(0)
  const accounts = useAccounts()
  if (created) {
    return (
      <FirstPacket
        device={created}
        onAnother={() => {
          setCreated(undefined)
          setRound(round + 1)
        }}
      />
    )
  }
  return (
    <>
      <Title order={1} mb={4}>
        {t('devices.create')}
      </Title>
      <Text c="dimmed" size="sm" mb="lg">
        {t('devices.wizard.intro')}
      </Text>
      {accounts.isPending ? (
        <Loading lines={6} />
      ) : (
        <DeviceWizard
          key={round}
          // A single account needs no question.
          withAccount={accounts.data?.items.length !== 1}
          onCreated={setCreated}
        />
      )}
    </>
  )
}

/** What was entered before a connector was created on the way. */
interface Kept {
  accountId: string | null
  connectorId: string | null
  values: DeviceValues
}

/** Fields of each step, so that an error leads to the right step. */
const identityFields = ['externalId', 'title'] as const
const placeFields = ['latitude', 'longitude', 'address', 'floorNumber', 'floorName', 'parentId'] as const

interface DeviceWizardProps {
  /** whether to ask for the account */
  withAccount: boolean
  onCreated: (device: Device) => void
}

function DeviceWizard({ withAccount, onCreated }: DeviceWizardProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const cache = useQueryClient()
  const [search] = useUrlSearch()
  const user = useUser()
  const [kept] = useState(() => keptFromDetour<Kept>('device', user.id, one(search, 'draft')))
  const detour = useConnectorDetour('device')
  const choice = useChoice(kept)
  const connector = useConnector(Number(choice.accountId), Number(choice.connectorId))
  const { template, ...templates } = useTemplateChoice(choice.connectorId)
  const form = useCheckedForm<DeviceValues>({
    initialValues: { ...emptyDevice, operationalStatus: '3', externalId: choice.externalId, ...kept?.values },
    validate: checkDevice(
      {
        positionIncomplete: t('masterData.positionIncomplete'),
        euiInvalid: t('errors.DEVICE_EUI_INVALID'),
      },
      { preset: connector?.preset },
    ),
  })
  const firstUse = useFirstUse()
  const [finished, setFinished] = useState(false)
  const [asked, setAsked] = useState(false)
  const dirty = form.isDirty() || choice.touched
  const valid = (fields: readonly string[]) =>
    fields.map((field) => form.validateField(field).hasError).every((wrong) => !wrong)

  const create = async () => {
    if (form.validate().hasErrors) return
    const { driverId, driverVersion, ...input } = toInput(form.getValues())
    const chosen = { driverId, driverVersion }
    const accepted = template ? {} : await firstUse.ask({ ...chosen, accountId: Number(choice.accountId) })
    if (accepted === null) return
    try {
      const device = await client.virtualdevice.create({
        ...input,
        ...(template ? { templateId: template.id } : { ...chosen, ...accepted }),
        connectorId: Number(choice.connectorId),
      })
      setFinished(true)
      endDetour('device')
      await invalidateDevices(cache)
      onCreated(device)
    } catch (error) {
      form.setErrors(Object.fromEntries(fieldIssues(error).map(({ path, message }) => [path, message])))
      throw error
    }
  }

  return (
    <>
      <Wizard
        dirty={dirty && !finished}
        // The detour begins and ends at the step of the connector.
        start={kept && withAccount ? 1 : 0}
        finishLabel={t('devices.wizard.finish')}
        onFinish={create}
        onCancel={() => {
          setFinished(true)
          endDetour('device')
          void navigate({ to: '/virtual-devices' })
        }}
        steps={[
          ...(withAccount
            ? [
                {
                  key: 'account',
                  label: t('devices.wizard.account'),
                  content: (
                    <AccountStep
                      value={choice.accountId}
                      onChange={choice.setAccount}
                      missing={choice.missing}
                    />
                  ),
                  validate: () => choice.require('accountId'),
                },
              ]
            : []),
          {
            key: 'connector',
            label: t('devices.wizard.connector'),
            content: (
              <ConnectorStep
                accountId={choice.accountId}
                value={choice.connectorId}
                onChange={choice.setConnector}
                missing={choice.missing}
                onCreate={() => {
                  const { accountId, connectorId } = choice
                  void detour({ accountId, connectorId, values: form.getValues() }, accountId)
                }}
              />
            ),
            validate: async () => choice.require('connectorId') && (await templates.look()),
          },
          ...(templates.areThere
            ? [
                {
                  key: 'template',
                  label: t('devices.wizard.template'),
                  content: (
                    <TemplateStep connectorId={Number(choice.connectorId)} choice={templates} form={form} />
                  ),
                  validate: () => templates.take(form),
                },
              ]
            : []),
          ...(template
            ? []
            : [
                {
                  key: 'driver',
                  label: t('devices.wizard.driver'),
                  content: (
                    <DriverStep
                      accountId={choice.accountId}
                      value={form.getValues().driverId}
                      onChange={(id) => form.setFieldValue('driverId', id)}
                    />
                  ),
                },
              ]),
          {
            key: 'identity',
            label: t('devices.wizard.identity'),
            content: (
              <IdentityStep
                form={form}
                connectorId={Number(choice.connectorId)}
                connector={connector}
                onImported={() => setFinished(true)}
              />
            ),
            validate: () => valid(identityFields),
          },
          ...(template && required(template).length > 0
            ? [
                {
                  key: 'properties',
                  label: t('devices.wizard.properties'),
                  content: <PropertiesStep form={form} properties={required(template)} isAsked={asked} />,
                  validate: () => {
                    const { keyValues } = form.getValues()
                    const isComplete = required(template).every(({ key }) => keyValues[key]?.trim())
                    setAsked(!isComplete)
                    return isComplete
                  },
                },
              ]
            : []),
          {
            key: 'place',
            label: t('devices.wizard.place'),
            content: <PlaceStep form={form} />,
            validate: () => valid(placeFields),
          },
          {
            key: 'summary',
            label: t('devices.wizard.summary'),
            content: (
              <SummaryStep
                values={form.getValues()}
                accountId={Number(choice.accountId)}
                connectorId={Number(choice.connectorId)}
                template={template}
              />
            ),
          },
        ]}
      />
      {firstUse.dialog}
    </>
  )
}

/** Account and connector, preset by the address if a link led here (`&connector=7&externalId=…`). */
function useChoice(kept: Partial<Kept> | undefined) {
  const [search] = useUrlSearch()
  const asked = one(search, 'connector')
  const [accountId, setAccountId] = useState<string | null>(
    asked === undefined ? (kept?.accountId ?? null) : null,
  )
  const [connectorId, setConnectorId] = useState<string | null>(asked ?? kept?.connectorId ?? null)
  const [touched, setTouched] = useState(kept !== undefined)
  const [missing, setMissing] = useState(false)
  const accounts = useAccounts()
  const only = accounts.data?.items.length === 1 ? accounts.data.items[0] : undefined
  const linked = useQuery({
    queryKey: ['devices', 'linked-connector', asked],
    queryFn: () => client.bridge.get({ id: Number(asked) }),
    enabled: asked !== undefined,
    retry: false,
  })
  const begin = linked.data?.accountId ?? only?.id
  useEffect(() => {
    if (begin !== undefined) setAccountId((current) => current ?? String(begin))
  }, [begin])
  return {
    accountId,
    connectorId,
    touched,
    missing,
    externalId: one(search, 'externalId') ?? '',
    setAccount: (id: string) => {
      if (id !== accountId) setConnectorId(null)
      setAccountId(id)
      setTouched(true)
      setMissing(false)
    },
    setConnector: (id: string) => {
      setConnectorId(id)
      setTouched(true)
      setMissing(false)
    },
    require: (what: 'accountId' | 'connectorId') => {
      const there = (what === 'accountId' ? accountId : connectorId) !== null
      setMissing(!there)
      return there
    },
  }
}
