import { Button, Group, NumberInput, Select, Stack, Text, Textarea, UnstyledButton } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import {
  IconAlertCircle,
  IconBookmark,
  IconCircleCheck,
  IconCircleDashed,
  IconFlask,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatTime } from '../../../lib/format.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { Section } from '../../../ui/page/Section.tsx'
import { differences } from '../compare.ts'
import classes from '../drivers.module.css'
import { checkPayload, guessEncoding } from '../payload.ts'
import type { Encoding, ParseResult } from '../queries.ts'
import type { DriverValues } from '../values.ts'
import { missingVariables } from './missingVariables.ts'
import type { OwnPacket, TestPacket } from './packets.ts'
import { TrialResult } from './TrialResult.tsx'

const encodings: readonly Encoding[] = ['base16', 'base64', 'json']
const goldenMax = 100

interface TesterProps {
  form: UseFormReturnType<DriverValues>
  own: OwnPacket
  onOwn: (own: OwnPacket) => void
  packets: readonly TestPacket[]
  results: ReadonlyMap<string, ParseResult | undefined>
  shown: TestPacket | undefined
  onShow: (key: string) => void
  readOnly: boolean
}

/** Packets to test the script on, each with its result, and details of the selected one. */
export function Tester(props: TesterProps) {
  const { t } = useTranslation()
  const { form, own, packets, results, shown, readOnly } = props
  const result = shown ? results.get(shown.key) : undefined
  const { golden } = form.getValues()
  const kept = shown?.source === 'golden' ? golden[Number(shown.key.slice('golden-'.length))] : undefined
  const keep = () => {
    if (!shown || !result) return
    form.insertListItem('golden', {
      title: shown.source === 'recent' ? shown.title : '',
      fPort: shown.fPort,
      payload: shown.payload,
      encoding: shown.encoding,
      expected: result.variables,
    })
    notifySuccess(t('drivers.tester.kept'))
  }
  const missing = result?.ok ? missingVariables(result, form.getValues().variables) : []
  return (
    <Stack gap="md" className={classes.tester}>
      <OwnFields own={own} onOwn={props.onOwn} />
      <Section title={t('drivers.tester.packets')} flush>
        {packets.length === 0 ? (
          <EmptyState
            icon={IconFlask}
            title={t('drivers.tester.none')}
            text={t('drivers.tester.noneText')}
            compact
          />
        ) : (
          <ul className={classes.packets}>
            {packets.map((packet) => (
              <li key={packet.key}>
                <UnstyledButton
                  className={classes.packet ?? ''}
                  aria-pressed={packet.key === shown?.key}
                  onClick={() => props.onShow(packet.key)}
                >
                  <Verdict packet={packet} result={results.get(packet.key)} golden={golden} />
                  <span className={classes.packetTitle}>
                    {packet.title || t(`drivers.tester.source.${packet.source}`)}
                    <Text span size="xs" c="dimmed">
                      {t(`drivers.tester.source.${packet.source}`)}
                      {packet.source === 'recent' && packet.time ? ` · ${formatTime(packet.time)}` : ''}
                      {packet.fPort === null ? '' : ` · ${t('drivers.tester.port', { port: packet.fPort })}`}
                    </Text>
                  </span>
                  <span className={classes.packetBytes}>{packet.payload}</span>
                </UnstyledButton>
              </li>
            ))}
          </ul>
        )}
      </Section>
      {result ? (
        <Section
          title={t('drivers.tester.result')}
          actions={
            readOnly ? undefined : (
              <Group gap={8}>
                {missing.length > 0 ? (
                  <Button
                    size="compact-sm"
                    variant="default"
                    onClick={() =>
                      form.setFieldValue('variables', [...form.getValues().variables, ...missing])
                    }
                  >
                    {t('drivers.tester.takeVariables', { count: missing.length })}
                  </Button>
                ) : null}
                {result.ok && shown?.source !== 'golden' && golden.length < goldenMax ? (
                  <Button
                    size="compact-sm"
                    variant="default"
                    leftSection={<Icon of={IconBookmark} size={14} />}
                    onClick={keep}
                  >
                    {t('drivers.tester.keep')}
                  </Button>
                ) : null}
              </Group>
            )
          }
        >
          <TrialResult result={result} {...(kept ? { expected: kept.expected } : {})} />
        </Section>
      ) : null}
    </Stack>
  )
}

function OwnFields({ own, onOwn }: { own: OwnPacket; onOwn: (own: OwnPacket) => void }) {
  const { t } = useTranslation()
  const state = checkPayload(own.payload, own.encoding)
  const fault = state.ok || state.fault === 'empty' ? null : t(`drivers.tester.fault.${state.fault}`)
  const better = guessEncoding(own.payload, own.encoding)
  return (
    <Section title={t('drivers.tester.own')}>
      <div className={classes.own}>
        <Select
          label={t('drivers.tester.encoding')}
          data={encodings.map((encoding) => ({ value: encoding, label: t(`drivers.encoding.${encoding}`) }))}
          value={own.encoding}
          onChange={(encoding) =>
            onOwn({ ...own, encoding: encodings.find((each) => each === encoding) ?? 'base16' })
          }
          allowDeselect={false}
        />
        <NumberInput
          label={t('drivers.tester.fPort')}
          min={0}
          max={255}
          allowDecimal={false}
          value={own.fPort}
          onChange={(fPort) => onOwn({ ...own, fPort })}
        />
        <Textarea
          label={t('drivers.tester.payload')}
          className={classes.wide ?? ''}
          classNames={{ input: classes.mono ?? '' }}
          placeholder={
            own.encoding === 'json'
              ? '{"temperature": 21.5}'
              : own.encoding === 'base64'
                ? 'AQDiAik='
                : '01 00 E2 02 29'
          }
          autosize
          minRows={2}
          maxRows={10}
          spellCheck={false}
          value={own.payload}
          onChange={(event) => onOwn({ ...own, payload: event.currentTarget.value })}
          error={fault}
        />
      </div>
      {better ? (
        <Button mt={6} size="compact-sm" variant="subtle" onClick={() => onOwn({ ...own, encoding: better })}>
          {t('drivers.tester.readAs', { encoding: t(`drivers.encoding.${better}`) })}
        </Button>
      ) : null}
    </Section>
  )
}

function Verdict(props: {
  packet: TestPacket
  result: ParseResult | undefined
  golden: DriverValues['golden']
}) {
  const { t } = useTranslation()
  const { packet, result, golden } = props
  const kept = packet.source === 'golden' ? golden[Number(packet.key.slice('golden-'.length))] : undefined
  const state =
    result === undefined
      ? 'waiting'
      : !result.ok
        ? 'failed'
        : kept && differences(kept.expected, result.variables).length > 0
          ? 'differs'
          : 'ok'
  const shape = state === 'ok' ? IconCircleCheck : state === 'waiting' ? IconCircleDashed : IconAlertCircle
  return (
    <span
      className={classes.verdict}
      data-state={state}
      role="img"
      aria-label={t(`drivers.tester.verdict.${state}`)}
    >
      <Icon of={shape} />
    </span>
  )
}
