import { Group, List, Stack, Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { faultDetail, faultTitle, remarkText } from '../../../lib/faults.ts'
import { formatDuration, formatValue } from '../../../lib/format.ts'
import { StatusBadge } from '../../../ui/display/Badges.tsx'
import { JsonView } from '../../../ui/json/JsonView.tsx'
import { differences } from '../compare.ts'
import classes from '../drivers.module.css'
import type { ParseResult } from '../queries.ts'
import { DifferenceTable } from '../save/useSaveQuestions.tsx'

/**
 * Details of one decoded packet: variables as they would be stored, warnings, error, console, return value.
 */
export function TrialResult(props: { result: ParseResult; expected?: Record<string, unknown> }) {
  const { t } = useTranslation()
  const { result, expected } = props
  const entries = Object.entries(result.variables)
  const changed = expected && result.ok ? differences(expected, result.variables) : []
  return (
    <Stack gap="sm">
      {result.error ? (
        <div className={classes.failure} role="alert">
          <Text size="sm" fw={600}>
            {faultTitle(t, result.error)}
            {result.error.line === undefined
              ? ''
              : ` (${t('drivers.tester.line', { line: result.error.line })})`}
          </Text>
          <Text size="sm">{faultDetail(t, result.error)}</Text>
        </div>
      ) : null}
      {changed.length > 0 ? (
        <div>
          <Text size="sm" fw={600} c="var(--health-error)">
            {t('drivers.tester.verdict.differs')}
          </Text>
          <DifferenceTable differences={changed} />
        </div>
      ) : null}
      {result.ok || entries.length > 0 ? (
        <div>
          <Text size="sm" fw={600} mb={2}>
            {t('drivers.tester.variables', { count: entries.length })}
          </Text>
          {entries.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t('drivers.tester.noVariables')}
            </Text>
          ) : (
            <Table verticalSpacing={3} horizontalSpacing={6} withRowBorders={false}>
              <Table.Tbody>
                {entries.map(([key, value]) => (
                  <Table.Tr key={key}>
                    <Table.Th scope="row" fw={400} className={classes.mono}>
                      {key}
                    </Table.Th>
                    <Table.Td className={classes.value}>{formatValue(value)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
        </div>
      ) : null}
      {result.warnings.length > 0 ? (
        <div className={classes.warnings}>
          <Text size="sm" fw={600}>
            {t('drivers.tester.warnings')}
          </Text>
          <List size="sm">
            {[...new Set(result.warnings.map((warning) => remarkText(t, warning)))].map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </div>
      ) : null}
      <TriedHealth result={result} />
      {result.console.length > 0 ? (
        <div>
          <Text size="sm" fw={600} mb={2}>
            {t('drivers.tester.console')}
          </Text>
          <pre className={classes.console}>{result.console.join('\n')}</pre>
        </div>
      ) : null}
      {result.ok ? (
        <details className={classes.raw}>
          <summary>{t('drivers.tester.returned')}</summary>
          <JsonView value={result.output} openLevels={3} />
        </details>
      ) : null}
      <Text size="xs" c="dimmed">
        {t('drivers.tester.duration', { duration: formatDuration(result.durationUs / 1000) })}
      </Text>
    </Stack>
  )
}

/** Health effects of the packet: entries it raises and entries it clears. */
function TriedHealth({ result }: { result: ParseResult }) {
  const { t } = useTranslation()
  if (result.health.length === 0 && !result.healthFailed) return null
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {t('drivers.tester.health')}
      </Text>
      <Stack gap={4}>
        {result.healthFailed ? (
          <Group gap={8}>
            <StatusBadge tone="error" label={t('health.invalid')} />
            <Text size="sm">{t('drivers.tester.healthFailed')}</Text>
          </Group>
        ) : null}
        {result.health.map((entry) => (
          <Group key={entry.identifier} gap={8} wrap="nowrap">
            <StatusBadge
              tone={entry.active ? entry.type : 'ok'}
              label={t(entry.active ? `health.${entry.type}` : 'deviceHealth.notTheCase')}
            />
            <Text size="sm">{entry.description || entry.identifier}</Text>
          </Group>
        ))}
      </Stack>
    </div>
  )
}
