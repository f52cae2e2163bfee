import { Badge, Button, Group, Stack, Text, TextInput, Tooltip } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconBookmark, IconRefresh } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { faultDetail, faultTitle } from '../../lib/faults.ts'
import { useUrlSearch } from '../../lib/url.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import { JsonView } from '../../ui/json/JsonView.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { differences } from './compare.ts'
import classes from './drivers.module.css'
import { testPackets } from './parser/packets.ts'
import { useTrial } from './parser/useTrial.ts'
import type { Golden, ParseResult } from './queries.ts'
import { DifferenceTable } from './save/useSaveQuestions.tsx'
import type { DriverValues } from './values.ts'
import { verdictOf } from './verdict.ts'

interface GoldenTabProps {
  form: UseFormReturnType<DriverValues>
  driverId?: number
  /** the version shown */
  number?: number
  readOnly: boolean
}

/** Packets stored with their expected values; run before every save, and here with the unsaved parser. */
export function GoldenTab({ form, driverId, number, readOnly }: GoldenTabProps) {
  const { t } = useTranslation()
  const [, update] = useUrlSearch()
  const values = form.getValues()
  const { golden } = values
  const packets = testPackets({ payload: '', encoding: 'base16', fPort: '' }, [], golden, '')
  const trial = useTrial(values, packets, { driverId, number, readOnly })
  if (golden.length === 0) {
    return (
      <EmptyState
        icon={IconBookmark}
        title={t('drivers.golden.none')}
        text={t('drivers.golden.noneText')}
        action={
          <Button variant="default" onClick={() => update({ tab: 'parser' }, { push: true })}>
            {t('drivers.golden.toTester')}
          </Button>
        }
      />
    )
  }
  const verdicts = golden.map((packet, index) =>
    verdictOf(packet, trial.data?.results.get(`golden-${index}`)),
  )
  const wrong = verdicts.filter((verdict) => verdict === 'failed' || verdict === 'differs').length
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text size="sm" c="dimmed" maw={640}>
          {t('drivers.golden.text')}
        </Text>
        <Group gap={8}>
          {trial.data ? (
            <StatusBadge
              tone={wrong === 0 ? 'ok' : 'error'}
              label={wrong === 0 ? t('drivers.golden.allMatch') : t('drivers.golden.wrong', { count: wrong })}
            />
          ) : null}
          <Button
            variant="default"
            size="compact-md"
            leftSection={<Icon of={IconRefresh} size={16} />}
            loading={trial.waiting}
            onClick={() => void trial.refetch()}
          >
            {t('drivers.golden.run')}
          </Button>
        </Group>
      </Group>
      {trial.isError ? <ErrorText error={trial.error} /> : null}
      {golden.map((packet, index) => (
        <GoldenCard
          key={form.key(`golden.${index}`)}
          form={form}
          index={index}
          packet={packet}
          result={trial.data?.results.get(`golden-${index}`)}
          readOnly={readOnly}
        />
      ))}
    </Stack>
  )
}

const tones = { waiting: 'unknown', failed: 'error', differs: 'error', ok: 'ok' } as const

function GoldenCard(props: {
  form: UseFormReturnType<DriverValues>
  index: number
  packet: Golden
  result: ParseResult | undefined
  readOnly: boolean
}) {
  const { t } = useTranslation()
  const { form, index, packet, result, readOnly } = props
  const verdict = verdictOf(packet, result)
  return (
    <Section
      title={packet.title || t('drivers.golden.packet', { number: index + 1 })}
      actions={
        <>
          <StatusBadge tone={tones[verdict]} label={t(`drivers.tester.verdict.${verdict}`)} />
          {readOnly ? null : (
            <Tooltip label={t('drivers.golden.remove')}>
              <RemoveButton
                label={t('drivers.golden.remove')}
                onClick={() => form.removeListItem('golden', index)}
              />
            </Tooltip>
          )}
        </>
      }
    >
      <div className={classes.golden}>
        <Stack gap="sm">
          {readOnly ? null : (
            <TextInput label={t('drivers.golden.name')} {...form.getInputProps(`golden.${index}.title`)} />
          )}
          <Group gap={6}>
            <Badge>{t(`drivers.encoding.${packet.encoding}`)}</Badge>
            {packet.fPort === null ? null : <Badge>{t('drivers.tester.port', { port: packet.fPort })}</Badge>}
          </Group>
          <div className={classes.payload}>{packet.payload}</div>
          {result?.error ? (
            <Text size="sm" c="var(--health-error)">
              {faultDetail(t, result.error) ?? faultTitle(t, result.error)}
            </Text>
          ) : null}
        </Stack>
        <div>
          {verdict === 'differs' && result ? (
            <>
              <DifferenceTable
                title={packet.title}
                differences={differences(packet.expected, result.variables)}
              />
              {readOnly ? null : (
                <Button
                  mt="xs"
                  size="compact-sm"
                  variant="default"
                  onClick={() => form.setFieldValue(`golden.${index}.expected`, result.variables)}
                >
                  {t('drivers.golden.adopt')}
                </Button>
              )}
            </>
          ) : (
            <>
              <Text size="sm" fw={550} mb={4}>
                {t('drivers.golden.expected')}
              </Text>
              <JsonView value={packet.expected} plain />
            </>
          )}
        </div>
      </div>
    </Section>
  )
}
