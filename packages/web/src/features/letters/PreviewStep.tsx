import type { DecodeDifference, DecodePreview, DecodeSelection } from '@leitstand/contract/redecoding'
import { Accordion, Stack, Text } from '@mantine/core'
import { IconEqual, IconPackages } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { faultDetail, faultTitle } from '../../lib/faults.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Fact } from '../../ui/display/Fact.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { SimpleTable } from '../../ui/list/SimpleTable.tsx'
import classes from './decoding.module.css'
import { kindsOf, shown } from './previewText.ts'
import { previewOf } from './queries.ts'

const examplesShown = 10

/** Preview of the changes, from a sample of the packets. */
export function PreviewStep({ selection }: { selection: DecodeSelection }) {
  const { t } = useTranslation()
  const preview = useQuery(previewOf(selection))
  if (preview.isError)
    return <ErrorState error={preview.error} onRetry={() => void preview.refetch()} compact />
  if (!preview.data) return <Loading lines={6} />
  const { data } = preview
  if (data.packets === 0) {
    return <EmptyState icon={IconPackages} title={t('decoding.none')} text={t('decoding.noneText')} compact />
  }
  return (
    <Stack gap="md">
      <Numbers preview={data} />
      {data.different === 0 ? (
        <EmptyState icon={IconEqual} title={t('decoding.same')} text={t('decoding.sameText')} compact />
      ) : (
        <>
          <Errors errors={data.errors} />
          <Variables variables={data.variables} />
          <Examples examples={data.examples} />
        </>
      )}
    </Stack>
  )
}

function Numbers({ preview }: { preview: DecodePreview }) {
  const { t } = useTranslation()
  const { packets, packetsMore, devices, sampled, different, errors } = preview
  return (
    <div>
      <div className={classes.numbers}>
        <Fact label={t('decoding.packets')}>{`${formatNumber(packets, 0)}${packetsMore ? '+' : ''}`}</Fact>
        <Fact label={t('decoding.devices')}>{formatNumber(devices, 0)}</Fact>
        <Fact label={t('decoding.sampled')}>{formatNumber(sampled, 0)}</Fact>
        <Fact label={t('decoding.different')}>{formatNumber(different, 0)}</Fact>
        <Fact label={t('decoding.errors')}>
          {formatNumber(errors.before, 0)} → {formatNumber(errors.after, 0)}
        </Fact>
      </div>
      <Text size="xs" c="dimmed" mt={6}>
        {t('decoding.sampleHint')}
      </Text>
    </div>
  )
}

function Errors({ errors }: { errors: DecodePreview['errors'] }) {
  const { t } = useTranslation()
  if (errors.kinds.length === 0) return null
  return (
    <div>
      <StatusBadge tone="error" label={t('decoding.errorsAfter', { count: errors.after })} />
      <ul className={classes.errors}>
        {errors.kinds.map(({ count, ...fault }) => (
          <li key={`${fault.code} ${fault.message}`}>
            {faultTitle(t, fault)} ({formatNumber(count, 0)})
            <Text size="xs" c="dimmed">
              {faultDetail(t, fault)}
            </Text>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Variables({ variables }: { variables: DecodePreview['variables'] }) {
  const { t } = useTranslation()
  const differing = variables.filter((each) => each.appears + each.vanishes + each.changes > 0)
  const same = variables.length - differing.length
  return (
    <div>
      <SimpleTable
        label={t('decoding.variables')}
        rows={differing}
        rowKey={({ key }) => key}
        spacing={6}
        minWidth={520}
        columns={[
          { key: 'key', title: t('decoding.variable'), className: classes.key, render: ({ key }) => key },
          { key: 'kinds', title: t('decoding.whatHappens'), render: (each) => kindsOf(each, t) },
          {
            key: 'before',
            title: t('decoding.before'),
            className: classes.value,
            render: ({ example }) => shown(example?.before),
          },
          {
            key: 'after',
            title: t('decoding.after'),
            className: classes.value,
            render: ({ example }) => shown(example?.after),
          },
        ]}
      />
      {same > 0 ? (
        <Text size="sm" c="dimmed" mt={6}>
          {t('decoding.variablesSame', { count: same })}
        </Text>
      ) : null}
    </div>
  )
}

function Examples({ examples }: { examples: readonly DecodeDifference[] }) {
  const { t } = useTranslation()
  return (
    <div>
      <Text size="sm" fw={600} mb={6}>
        {t('decoding.examples')}
      </Text>
      <Accordion variant="contained" chevronPosition="left">
        {examples.slice(0, examplesShown).map((example) => (
          <Accordion.Item key={example.packetId} value={String(example.packetId)}>
            <Accordion.Control>
              <Text size="sm">
                {example.deviceTitle} · {formatTime(example.receivedAt)}
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <div className={classes.sides}>
                <Side label={t('decoding.before')} side={example.before} />
                <Side label={t('decoding.after')} side={example.after} />
              </div>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </div>
  )
}

function Side({ label, side }: { label: string; side: DecodeDifference['before'] }) {
  const { t } = useTranslation()
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {side.driverVersion === null ? label : `${label} · v${side.driverVersion}`}
      </Text>
      {side.error ? (
        <>
          <StatusBadge
            tone="error"
            label={t(`errors.${side.error.code}`, { defaultValue: side.error.code })}
          />
          <Text size="xs" c="dimmed">
            {side.error.message}
          </Text>
        </>
      ) : null}
      <dl className={classes.pairs}>
        {Object.entries(side.variables ?? {}).map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{shown(value)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
