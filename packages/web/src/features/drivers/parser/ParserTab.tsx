import { Group, Loader, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { StatusBadge } from '../../../ui/Badges.tsx'
import { CodeEditor, type CodeMarker } from '../../../ui/CodeEditor.tsx'
import { ErrorText } from '../../../ui/ErrorText.tsx'
import classes from '../drivers.module.css'
import type { ParseReply, ParseResult } from '../queries.ts'
import type { DriverValues } from '../values.ts'
import { CalculatedEditor } from './CalculatedEditor.tsx'
import { KindSelect } from './KindSelect.tsx'
import { LayoutEditor } from './LayoutEditor.tsx'
import { hexOf, type OwnPacket, testPackets } from './packets.ts'
import { hasSource } from './parser-values.ts'
import { Tester } from './Tester.tsx'
import { UrlEditor } from './UrlEditor.tsx'
import { useTrial } from './useTrial.ts'

/** Names offered while typing. */
const completions = [
  { label: 'bytes', detail: 'number[]' },
  { label: 'fPort', detail: 'number' },
  { label: 'recvTime', detail: 'Date' },
  { label: 'payload', detail: 'hex, JSON' },
  { label: 'meta', detail: 'object' },
  { label: 'meta.lora.fport' },
  { label: 'meta.time' },
  { label: 'Buffer' },
  { label: 'Buffer.from(bytes)' },
  { label: 'readInt16BE' },
  { label: 'readInt16LE' },
  { label: 'readUInt16BE' },
  { label: 'readUInt16LE' },
  { label: 'readUInt8' },
  { label: '_', detail: 'lodash' },
  { label: 'decodeUplink' },
  { label: 'module.exports' },
  { label: 'console.log' },
]
const recentMax = 10

/** The signatures by the name the engine gives them, as they are written. */
const signatures: Record<string, string> = {
  decodeUplink: 'decodeUplink({ bytes, fPort })',
  Decoder: 'Decoder(bytes, port)',
  Decode: 'Decode(fPort, bytes)',
  function: 'module.exports = function (payload, meta)',
}

interface ParserTabProps {
  form: UseFormReturnType<DriverValues>
  driverId?: number
  /** the version shown */
  number?: number
  /** whether a token for its address is stored */
  hasToken?: boolean
  readOnly: boolean
}

/** The parser on the left, what it makes of real and typed packets on the right, again with every change. */
export function ParserTab({ form, driverId, number, hasToken = false, readOnly }: ParserTabProps) {
  const { t } = useTranslation()
  const values = form.getValues()
  const { golden, parser } = values
  const [own, setOwn] = useState<OwnPacket>({ payload: '', encoding: 'base16', fPort: 1 })
  const [typed] = useDebouncedValue(own, 300)
  const recent = useQuery({
    ...api.dispatcher.recentPackets.queryOptions({ input: { id: driverId ?? 0, limit: recentMax } }),
    enabled: driverId !== undefined,
  })
  const packets = useMemo(
    () => testPackets(typed, recent.data?.items ?? [], golden, t('drivers.tester.own')),
    [typed, recent.data, golden, t],
  )
  const trial = useTrial(values, packets, { driverId, number, readOnly })
  const [chosen, setChosen] = useState<string | null>(null)
  const shown = packets.find(({ key }) => key === chosen) ?? packets[0]
  const result = shown ? trial.data?.results.get(shown.key) : undefined
  return (
    <div className={classes.parser}>
      <div className={hasSource(parser.kind) ? classes.editor : classes.form}>
        <Stack gap="md">
          <KindSelect form={form} readOnly={readOnly} />
          {hasSource(parser.kind) ? (
            <ScriptEditor key={parser.kind} form={form} readOnly={readOnly} trial={trial} result={result} />
          ) : parser.kind === 'url' ? (
            <UrlEditor form={form} readOnly={readOnly} hasToken={hasToken} />
          ) : parser.kind === 'unset' ? null : (
            <LayoutEditor form={form} readOnly={readOnly} hex={shown ? hexOf(shown) : ''} />
          )}
          {trial.incomplete && !readOnly ? (
            <Text size="sm" c="dimmed">
              {t('drivers.parser.incomplete')}
            </Text>
          ) : null}
          {trial.isError && !trial.incomplete ? <ErrorText error={trial.error} /> : null}
          <CalculatedEditor form={form} readOnly={readOnly} />
        </Stack>
      </div>
      <Tester
        form={form}
        own={own}
        onOwn={(next) => {
          setOwn(next)
          setChosen('own')
        }}
        packets={packets}
        results={trial.data?.results ?? new Map()}
        shown={shown}
        onShow={setChosen}
        readOnly={readOnly}
      />
    </div>
  )
}

/** The source of a function, with its errors at their lines. */
function ScriptEditor(props: {
  form: UseFormReturnType<DriverValues>
  readOnly: boolean
  trial: ReturnType<typeof useTrial>
  result: ParseResult | undefined
}) {
  const { t } = useTranslation()
  const { form, readOnly, trial, result } = props
  const problem = trial.data?.check.problem ?? result?.error ?? null
  const markers = useMemo<CodeMarker[]>(
    () =>
      problem?.line === undefined
        ? []
        : [{ line: problem.line, column: problem.column ?? null, message: problem.message }],
    [problem],
  )
  return (
    <div>
      <Group justify="space-between" mb={8} gap={8} mih={26}>
        <Recognised check={trial.data?.check} />
        {trial.waiting ? <Loader size={16} aria-label={t('drivers.tester.running')} /> : null}
      </Group>
      <CodeEditor
        language={form.getValues().parser.kind === 'function' ? 'javascript' : 'text'}
        label={t('drivers.parser.script')}
        value={form.getValues().script}
        onChange={(text) => form.setFieldValue('script', text)}
        markers={markers}
        {...(form.getValues().parser.kind === 'function' ? { completions } : {})}
        readOnly={readOnly}
        height="max(380px, calc(100dvh - 560px))"
      />
      <Text size="xs" c="dimmed" mt={6}>
        {t('drivers.parser.hint')}
      </Text>
    </div>
  )
}

/** Which signature was recognised, and whether the script keeps state between packets. */
function Recognised({ check }: { check: ParseReply['check'] | undefined }) {
  const { t } = useTranslation()
  if (!check) return <span />
  if (!check.ok)
    return (
      <StatusBadge
        tone="error"
        label={
          check.problem
            ? t(`errors.${check.problem.code}`, { defaultValue: check.problem.message })
            : t('drivers.parser.broken')
        }
      />
    )
  return (
    <Group gap={6}>
      <StatusBadge
        tone="ok"
        label={t('drivers.parser.recognised', {
          family: check.family === null ? 'parse/2' : (signatures[check.family] ?? check.family),
        })}
      />
      {check.stateful ? <StatusBadge tone="warning" label={t('drivers.parser.stateful')} /> : null}
    </Group>
  )
}
