import type { DecodeSelection } from '@leitstand/contract/redecoding'
import { List, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatNumber, formatTimeShort } from '../../lib/format.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import classes from './decoding.module.css'
import { previewOf } from './queries.ts'

/** Summary of the job before it starts. */
export function ApplyStep({ selection }: { selection: DecodeSelection }) {
  const { t } = useTranslation()
  const preview = useQuery(previewOf(selection))
  const { packets = 0, devices = 0, packetsMore = false } = preview.data ?? {}
  return (
    <Stack gap="sm">
      <div className={classes.numbers}>
        <Fact label={t('decoding.packets')}>{`${formatNumber(packets, 0)}${packetsMore ? '+' : ''}`}</Fact>
        <Fact label={t('decoding.devices')}>{formatNumber(devices, 0)}</Fact>
        <Fact label={t('decoding.period')}>
          {formatTimeShort(selection.from)} – {formatTimeShort(selection.to)}
        </Fact>
      </div>
      <List size="sm" spacing={4}>
        <List.Item>{t('decoding.effect.values')}</List.Item>
        <List.Item>{t('decoding.effect.follows')}</List.Item>
        <List.Item>{t('decoding.effect.rules')}</List.Item>
        <List.Item>{t('decoding.effect.background')}</List.Item>
      </List>
    </Stack>
  )
}
