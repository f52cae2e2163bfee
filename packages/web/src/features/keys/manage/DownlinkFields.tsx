import { NumberInput, Select, Switch, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import type { LockPart } from './LockSheet.tsx'

/**
 * A downlink of the driver of a device, with its parameters.
 * @param standsAt only devices right below this twin are offered
 */
export function DownlinkFields({
  accountId,
  standsAt,
  values,
  set,
  faults,
}: LockPart & { accountId: number; standsAt?: number }) {
  const { t } = useTranslation()
  const { deviceId, name, parameters } = values
  const offer = useQuery({
    ...api.downlink.offer.queryOptions({ input: { id: deviceId ?? 0 } }),
    enabled: deviceId !== null,
    retry: false,
  })
  const offered = offer.data?.predefined ?? []
  const chosen = offered.find((each) => each.name === name)
  const put = (key: string, value: string | number | boolean) =>
    set({ parameters: { ...parameters, [key]: value } })
  return (
    <>
      <EntityPicker
        label={t('keys.field.device')}
        description={t(standsAt === undefined ? 'keys.deviceHint' : 'keys.deviceAtDoorHint')}
        nothing={t(standsAt === undefined ? 'common.nothingFound' : 'keys.noDeviceAtDoor')}
        required
        value={deviceId === null ? null : String(deviceId)}
        load={async (search) => {
          const input = {
            limit: 20,
            accountIds: [accountId],
            ...(standsAt === undefined ? {} : { parent_id: standsAt }),
            ...(search ? { search } : {}),
          }
          const { items } = await client.virtualdevice.list(input)
          return items.map(({ id, title }) => ({ value: String(id), label: title }))
        }}
        labelOf={async (id) => (await client.virtualdevice.get({ id: Number(id) })).title}
        onChange={(id) => set({ deviceId: id === null ? null : Number(id), name: '', parameters: {} })}
        error={faults.deviceId}
      />
      {offer.data?.problem ? (
        <Text size="sm" c="var(--health-warning)">
          {t(`downlinks.problems.${offer.data.problem}`)}
        </Text>
      ) : null}
      {deviceId === null ? null : (
        <Select
          label={t('downlinks.newName')}
          required
          data={[...new Set([...offered.map((each) => each.name), ...(name === '' ? [] : [name])])]}
          value={name || null}
          onChange={(next) => set({ name: next ?? '', parameters: {} })}
          nothingFoundMessage={t('common.nothingFound')}
          error={faults.name}
        />
      )}
      {chosen?.parameters.map(({ key, title }) => {
        const label = title || key
        const value = parameters[key]
        if (typeof value === 'boolean')
          return (
            <Switch
              key={key}
              label={label}
              checked={value}
              onChange={(event) => put(key, event.currentTarget.checked)}
            />
          )
        if (typeof value === 'string')
          return (
            <TextInput
              key={key}
              label={label}
              value={value}
              onChange={(event) => put(key, event.currentTarget.value)}
            />
          )
        return (
          <NumberInput
            key={key}
            label={label}
            value={value ?? ''}
            onChange={(next) => put(key, Number(next))}
          />
        )
      })}
    </>
  )
}
