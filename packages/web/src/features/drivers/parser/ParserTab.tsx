import { hasScript } from '@leitstand/contract/parsers'
import { Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import classes from '../drivers.module.css'
import type { DriverValues } from '../values.ts'
import { CalculatedEditor } from './CalculatedEditor.tsx'
import { KindSelect } from './KindSelect.tsx'
import { kinds } from './kinds/index.ts'
import { hexOf, type OwnPacket, testPackets } from './packets.ts'
import { Tester } from './Tester.tsx'
import { useTrial } from './useTrial.ts'

const recentMax = 10

interface ParserTabProps {
  form: UseFormReturnType<DriverValues>
  driverId?: number
  /** the version shown */
  number?: number
  /** whether a token for its address is stored */
  hasToken?: boolean
  readOnly: boolean
}

/**
 * The parser on the left; on the right its results for stored and typed packets, updated with every change.
 */
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
  const { Editor } = kinds[parser.kind]
  const result = shown ? trial.data?.results.get(shown.key) : undefined
  return (
    <div className={classes.parser}>
      <div className={hasScript(parser.kind) ? classes.editor : classes.form}>
        <Stack gap="md">
          <KindSelect form={form} readOnly={readOnly} />
          {Editor ? (
            <Editor
              key={parser.kind}
              form={form}
              readOnly={readOnly}
              hasToken={hasToken}
              hex={shown ? hexOf(shown) : ''}
              trial={trial}
              result={result}
            />
          ) : null}
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
