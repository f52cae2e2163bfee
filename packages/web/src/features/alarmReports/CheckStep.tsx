import { AlarmReportInput } from '@leitstand/contract/alarmReports'
import { Button, Group, Stack, Text } from '@mantine/core'
import { IconDownload, IconMailForward } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { localeTag } from '../../lib/format.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { download } from '../../ui/list/csv.ts'
import { weekdaysText } from '../rules/pure.ts'
import classes from './alarmReports.module.css'
import { useReportTest } from './queries.ts'
import type { StepProps } from './steps.tsx'
import { inputOf, type Values } from './values.ts'

/** What was entered, and a test that goes to the user only. */
export function CheckStep({ values }: StepProps) {
  const { t } = useTranslation()
  const test = useReportTest()
  const group = useQuery({
    ...api.smartGroup.get.queryOptions({ input: { id: Number(values.groupId) } }),
    enabled: values.groupId !== null,
  })
  const input = AlarmReportInput.safeParse(inputOf(values))
  const pdf = test.data?.pdf
  return (
    <Stack gap="md" maw={640}>
      <div className={classes.facts}>
        <Fact label={t('alarmReports.title')}>{values.title}</Fact>
        <Fact label={t('alarmReports.group')}>{group.data?.title ?? ''}</Fact>
        <Fact label={t('alarmReports.type')}>{t(`alarmReports.types.${values.type}`)}</Fact>
        <Fact label={t('alarmReports.condition')}>
          {values.always
            ? t('alarmReports.always')
            : values.conditions.map((each) => t(`alarmReports.conditions.${each}`)).join(', ')}
        </Fact>
        <Fact label={t('alarmReports.when')}>
          {t('alarmReports.between', {
            days:
              values.weekdays.length === 7
                ? t('alarmReports.daily')
                : weekdaysText(values.weekdays, localeTag()),
            zone: values.timeZone,
          })}
        </Fact>
        <Fact label={t('alarmReports.who')}>{whoText(values, t('alarmReports.throughConnector'))}</Fact>
      </div>
      <Text size="sm" c="dimmed">
        {t('alarmReports.testHint')}
      </Text>
      <Group gap={8}>
        <Button
          variant="default"
          leftSection={<Icon of={IconMailForward} />}
          loading={test.isPending}
          disabled={!input.success}
          onClick={() => input.success && test.mutate(input.data)}
        >
          {t('alarmReports.test')}
        </Button>
        {pdf ? (
          <Button
            variant="subtle"
            leftSection={<Icon of={IconDownload} />}
            onClick={() => download(`${values.title}.pdf`, bytesOf(pdf), 'application/pdf')}
          >
            {t('alarmReports.testPdf')}
          </Button>
        ) : null}
      </Group>
    </Stack>
  )
}

function whoText({ byMail, recipients, way }: Values, connector: string): string {
  return [...(byMail ? recipients : []), ...(way === 'none' ? [] : [connector])].join(', ')
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
}
