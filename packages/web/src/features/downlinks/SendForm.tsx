import {
  type DownlinkEncoding,
  type DownlinkValue,
  downlinkBytes,
  downlinkEncodings,
  downlinkLimits,
  encodeDownlink,
} from '@leitstand/contract/downlinkPayload'
import type { DownlinkOffer, PredefinedDownlink } from '@leitstand/contract/downlinks'
import {
  Button,
  Chip,
  Group,
  NumberInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { Section } from '../../ui/page/Section.tsx'
import type { Device } from '../devices/index.ts'
import { BytesPreview, firstValues, ValueFields } from '../drivers/index.ts'
import classes from './downlinks.module.css'

type Content = Parameters<typeof client.downlink.send>[0]['content']

/** Minutes a downlink may wait: an hour, a day, a week. */
const validities = [60, 1_440, 10_080] as const
const ownKey = 'own'

/** Sends one of the driver's downlinks or a custom payload. */
export function SendForm({ device, offer }: { device: Device; offer: DownlinkOffer }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { predefined } = offer
  const [picked, setPicked] = useState<string>()
  // Until the user picks one, use the driver's first, even if the list loads later.
  const chosen = picked ?? (predefined.length > 0 ? '0' : ownKey)
  const [validMinutes, setValidMinutes] = useState<number>(1_440)
  const [busy, setBusy] = useState(false)
  const send = async (content: Content) => {
    setBusy(true)
    try {
      await client.downlink.send({ id: device.id, content, validMinutes })
      notifySuccess(t('downlinks.requested'))
    } catch (error) {
      notifyError(error)
    } finally {
      setBusy(false)
      await cache.invalidateQueries({ queryKey: api.downlink.key() })
    }
  }
  const selected = chosen === ownKey ? undefined : predefined[Number(chosen)]
  const footer = (content: Content | undefined) => (
    <Group align="end" justify="space-between">
      <Select
        label={t('downlinks.validity')}
        data={validities.map((minutes) => ({
          value: String(minutes),
          label: t(`downlinks.validities.${minutes}`),
        }))}
        value={String(validMinutes)}
        onChange={(minutes) => setValidMinutes(Number(minutes ?? 1_440))}
        allowDeselect={false}
      />
      <Button
        leftSection={<Icon of={IconSend} size={16} />}
        loading={busy}
        disabled={content === undefined}
        onClick={() => content && void send(content)}
      >
        {t('downlinks.send')}
      </Button>
    </Group>
  )
  return (
    <Section title={t('downlinks.sendTitle')} description={t('downlinks.sendText')}>
      <Stack gap="md">
        {predefined.length > 0 ? (
          <Chip.Group value={chosen} onChange={(value) => setPicked(String(value))}>
            <Group gap={8} role="radiogroup" aria-label={t('downlinks.sendTitle')}>
              {predefined.map(({ name }, index) => (
                <Chip key={name} value={String(index)}>
                  {name}
                </Chip>
              ))}
              <Chip value={ownKey}>{t('downlinks.own')}</Chip>
            </Group>
          </Chip.Group>
        ) : null}
        {selected ? (
          <Predefined key={chosen} downlink={selected} footer={footer} />
        ) : (
          <Own withGateways={offer.way === 'tts-v3'} footer={footer} />
        )}
      </Stack>
    </Section>
  )
}

type Footer = (content: Content | undefined) => React.ReactNode

function Predefined({ downlink, footer }: { downlink: PredefinedDownlink; footer: Footer }) {
  const { t } = useTranslation()
  const [values, setValues] = useState<Record<string, DownlinkValue>>(firstValues(downlink.parameters))
  const encoded = encodeDownlink(downlink, values)
  return (
    <>
      <Text size="sm" c="dimmed">
        {[
          downlink.description,
          t('downlinks.onPort', { port: downlink.port }),
          downlink.confirmed ? t('downlinks.isConfirmed') : '',
        ]
          .filter(Boolean)
          .join(' · ')}
      </Text>
      {downlink.parameters.length > 0 ? (
        <ValueFields
          parameters={downlink.parameters}
          values={values}
          onChange={setValues}
          fault={encoded.ok ? undefined : encoded}
        />
      ) : null}
      <BytesPreview encoded={encoded} />
      {footer(encoded.ok ? { predefined: downlink.name, values } : undefined)}
    </>
  )
}

function Own({ withGateways, footer }: { withGateways: boolean; footer: Footer }) {
  const { t } = useTranslation()
  const [port, setPort] = useState<number | string>(1)
  const [encoding, setEncoding] = useState<DownlinkEncoding>('base16')
  const [payload, setPayload] = useState('')
  const [confirmed, setConfirmed] = useState(false)
  const [gateways, setGateways] = useState<string[]>([])
  const bytes = downlinkBytes(payload, encoding)
  const isPort = typeof port === 'number' && port >= 1 && port <= downlinkLimits.portMax
  const content =
    typeof bytes === 'string' || !isPort ? undefined : { port, payload, encoding, confirmed, gateways }
  const fault = typeof bytes === 'string' && bytes !== 'downlinkEmpty' ? bytes : undefined
  return (
    <>
      <div className={classes.fields}>
        <NumberInput
          label={t('downlinks.port')}
          required
          min={1}
          max={downlinkLimits.portMax}
          allowDecimal={false}
          value={port}
          onChange={setPort}
          error={isPort ? undefined : t('validation.number')}
        />
        <Select
          label={t('downlinks.encoding')}
          data={downlinkEncodings.map((each) => ({ value: each, label: t(`downlinks.encodings.${each}`) }))}
          value={encoding}
          onChange={(each) => setEncoding(downlinkEncodings.find((known) => known === each) ?? 'base16')}
          allowDeselect={false}
        />
        <Switch
          label={t('downlinks.confirmed')}
          checked={confirmed}
          onChange={(event) => setConfirmed(event.currentTarget.checked)}
        />
        <TextInput
          className={classes.wide ?? ''}
          classNames={{ input: classes.mono ?? '' }}
          label={t('downlinks.payload')}
          required
          spellCheck={false}
          autoComplete="off"
          value={payload}
          onChange={(event) => setPayload(event.currentTarget.value)}
          error={fault === undefined ? undefined : t(`validation.custom.${fault}`)}
        />
        {withGateways ? (
          <TagsInput
            className={classes.wide ?? ''}
            label={t('downlinks.gateways')}
            description={t('downlinks.gatewaysHint')}
            maxTags={downlinkLimits.gatewaysMax}
            acceptValueOnBlur
            value={gateways}
            onChange={setGateways}
          />
        ) : null}
      </div>
      {typeof bytes === 'string' ? null : <BytesPreview encoded={{ bytes }} />}
      {footer(content)}
    </>
  )
}
