import type { State } from '@leitstand/contract/states'
import { Button, Group, Modal, MultiSelect, Select, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { currentLanguage } from '../../../lib/i18n.ts'
import { type Range, rangeEnds } from '../../../lib/range.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { type FileFormat, fileFormats, formatNames, saveWritten } from '../../../ui/list/files.ts'
import { TimeRange } from '../../../ui/page/TimeRange.tsx'

interface DownloadValuesDialogProps {
  /** of the twin or device */
  title: string
  states: readonly State[]
  onClose: () => void
}

/** States in one file, as in the contract but without loading its schemas. */
const statesMax = 50

/** The values of several states of a twin or device as one file. */
export default function DownloadValuesDialog({ title, states, onClose }: DownloadValuesDialogProps) {
  const { t } = useTranslation()
  const [ids, setIds] = useState(() =>
    states
      .filter(({ time }) => time !== null)
      .slice(0, statesMax)
      .map(({ id }) => String(id)),
  )
  const [range, setRange] = useState<Range>({ preset: '7d' })
  const [format, setFormat] = useState<FileFormat>('xlsx')
  const saving = useMutation({
    mutationFn: async () => {
      const { fromMs, toMs } = rangeEnds(range, Date.now())
      const file = await client.series.exportFile({
        stateIds: ids.map(Number),
        startDate: new Date(fromMs).toISOString(),
        endDate: new Date(toMs).toISOString(),
        language: currentLanguage(),
        format,
      })
      saveWritten(title, format, file)
    },
    onSuccess: onClose,
  })
  return (
    <Modal opened onClose={onClose} title={t('valueExport.title', { title })}>
      <Stack gap="md">
        <MultiSelect
          label={t('valueExport.states')}
          description={t('valueExport.statesHint', { count: statesMax })}
          data={states.map((state) => ({ value: String(state.id), label: state.title }))}
          maxValues={statesMax}
          searchable
          clearable
          value={ids}
          error={ids.length === 0 ? t('valueExport.none') : null}
          onChange={setIds}
        />
        <Group gap="sm">
          <TimeRange value={range} onChange={setRange} />
          <Select
            aria-label={t('valueExport.format')}
            w={150}
            allowDeselect={false}
            data={fileFormats.map((each) => ({ value: each, label: formatNames[each] }))}
            value={format}
            onChange={(chosen) => setFormat(chosen as FileFormat)}
          />
        </Group>
        <Text size="sm" c="dimmed">
          {t(format === 'csv' || format === 'xlsx' ? 'valueExport.hint' : 'valueExport.hintUtc')}
        </Text>
        {saving.error ? <ErrorText error={saving.error} /> : null}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button
            leftSection={<Icon of={IconDownload} />}
            disabled={ids.length === 0}
            loading={saving.isPending}
            onClick={() => saving.mutate()}
          >
            {t('valueExport.download')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
