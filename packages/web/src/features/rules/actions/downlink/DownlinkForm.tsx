import type { DownlinkOffer } from '@leitstand/contract/downlinks'
import type { DownlinkAction } from '@leitstand/contract/rules/actions/downlink'
import { NumberInput, Select, Switch, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../../lib/api.ts'
import { EntityPicker } from '../../../../ui/forms/EntityPicker.tsx'
import { OperandField } from '../../OperandField.tsx'
import classes from '../../rules.module.css'
import { ScriptField } from '../ScriptField.tsx'
import type { FormProps } from '../types.ts'

type Predefined = Extract<DownlinkAction['content'], { from: 'predefined' }>

/** Minutes a downlink may wait: an hour, a day, a week. */
const validities = [60, 1_440, 10_080]

export default function DownlinkForm(props: FormProps<DownlinkAction>) {
  const { accountId, objectId, action, aliases, faultAt, onChange } = props
  const { t } = useTranslation()
  const deviceId = action.deviceId ?? objectId
  const offer = useQuery({
    ...api.downlink.offer.queryOptions({ input: { id: deviceId ?? 0 } }),
    enabled: deviceId !== undefined,
    retry: false,
  })
  const { content } = action
  const choose = (from: string | null) =>
    onChange({
      ...action,
      content:
        from === 'script'
          ? { from, script: 'return [1]', port: 1, confirmed: false }
          : { from: 'predefined', name: offer.data?.predefined[0]?.name ?? '', values: {} },
    })
  return (
    <>
      <div className={classes.entryHead}>
        <EntityPicker
          label={t('rules.device')}
          placeholder={t('rules.ownDevice')}
          description={action.deviceId === null ? t('rules.ownDeviceHint') : ''}
          value={action.deviceId === null ? null : String(action.deviceId)}
          onChange={(id) => onChange({ ...action, deviceId: id === null ? null : Number(id) })}
          load={async (search) => {
            const input = { limit: 20, accountIds: [accountId], ...(search ? { search } : {}) }
            const { items } = await client.virtualdevice.list(input)
            return items.map(({ id, title }) => ({ value: String(id), label: title }))
          }}
          labelOf={async (id) => (await client.virtualdevice.get({ id: Number(id) })).title}
          error={faultAt('deviceId')}
        />
        <Select
          label={t('rules.content')}
          allowDeselect={false}
          data={(['predefined', 'script'] as const).map((from) => ({
            value: from,
            label: t(`rules.downlinkFrom.${from}`),
          }))}
          value={content.from}
          onChange={choose}
        />
        <Select
          label={t('downlinks.validity')}
          allowDeselect={false}
          data={[...new Set([...validities, action.validMinutes])].map((minutes) => ({
            value: String(minutes),
            label: validities.includes(minutes)
              ? t(`downlinks.validities.${minutes}`)
              : t('rules.minutes', { count: minutes }),
          }))}
          value={String(action.validMinutes)}
          onChange={(minutes) => onChange({ ...action, validMinutes: Number(minutes ?? 60) })}
        />
      </div>
      {offer.data?.problem ? (
        <Text size="sm" c="var(--health-warning)">
          {t(`downlinks.problems.${offer.data.problem}`)}
        </Text>
      ) : null}
      {content.from === 'predefined' ? (
        <PredefinedFields
          content={content}
          offered={offer.data?.predefined ?? []}
          aliases={aliases}
          error={faultAt('content')}
          onChange={(changed) => onChange({ ...action, content: changed })}
        />
      ) : (
        <>
          <ScriptField
            label={t('rules.payload')}
            hint={t('rules.downlinkScriptHint')}
            value={content.script}
            aliases={aliases}
            error={faultAt('content')}
            onChange={(script) => onChange({ ...action, content: { ...content, script } })}
          />
          <div className={classes.entryHead}>
            <NumberInput
              label={t('downlinks.port')}
              min={1}
              max={223}
              allowDecimal={false}
              value={content.port}
              onChange={(port) => onChange({ ...action, content: { ...content, port: Number(port) || 1 } })}
            />
            <Switch
              mt={28}
              label={t('downlinks.confirmed')}
              checked={content.confirmed}
              onChange={(event) =>
                onChange({ ...action, content: { ...content, confirmed: event.currentTarget.checked } })
              }
            />
          </div>
        </>
      )}
    </>
  )
}

/** One of the driver's downlinks, and its parameters as constants or inputs. */
function PredefinedFields(props: {
  content: Predefined
  offered: DownlinkOffer['predefined']
  aliases: readonly string[]
  error: string | null
  onChange: (content: Predefined) => void
}) {
  const { content, offered, aliases, error, onChange } = props
  const { t } = useTranslation()
  const chosen = offered.find(({ name }) => name === content.name)
  return (
    <>
      {offered.length > 0 ? (
        <Select
          label={t('downlinks.newName')}
          required
          data={[...new Set([...offered.map(({ name }) => name), ...(content.name ? [content.name] : [])])]}
          value={content.name || null}
          onChange={(name) => onChange({ ...content, name: name ?? '', values: {} })}
          error={error}
        />
      ) : (
        <TextInput
          label={t('rules.downlinkName')}
          required
          maxLength={100}
          value={content.name}
          onChange={(event) => onChange({ ...content, name: event.currentTarget.value })}
          error={error}
        />
      )}
      {chosen?.parameters.map(({ key, title }) => {
        const label = title || key
        return (
          <div key={key}>
            <Text size="sm" fw={500} mb={4}>
              {label}
            </Text>
            <OperandField
              label={label}
              value={content.values[key] ?? { value: 0 }}
              aliases={aliases}
              nullable={false}
              onChange={(value) => onChange({ ...content, values: { ...content.values, [key]: value } })}
            />
          </div>
        )
      })}
    </>
  )
}
