import { Anchor, Button, List, Stack, Text } from '@mantine/core'
import { IconBooks, IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { webLink } from '../../../lib/webLink.ts'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { SimpleTable } from '../../../ui/list/SimpleTable.tsx'
import { DetailPage } from '../../../ui/page/DetailPage.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import classes from '../drivers.module.css'
import { type LibraryDriver, useTranslated } from './queries.ts'
import { StateBadge } from './StateBadge.tsx'
import { Update } from './Update.tsx'
import { useInstall } from './useInstall.ts'

/** A driver of the library: what it decodes, and installing or updating it. */
export default function LibraryDriverPage() {
  const { t } = useTranslation()
  const { key } = useParams({ strict: false }) as { key: string }
  const { data, error, refetch } = useQuery(api.devicedrivers.libraryDriver.queryOptions({ input: { key } }))
  const translated = useTranslated()
  if (!data)
    return (
      <DetailPage
        icon={IconBooks}
        title={undefined}
        error={error}
        onRetry={() => void refetch()}
        listPath="/virtual-device-drivers/library"
      />
    )
  const { installed } = data
  return (
    <DetailPage
      icon={IconBooks}
      title={data.title}
      overline={[data.manufacturer, data.model].join(' · ')}
      badges={<StateBadge state={data.state} modified={data.modified} />}
      actions={<Actions driver={data} />}
      facts={factsOf(data, t)}
    >
      <Stack gap="md" mt="md">
        {installed?.changes ? (
          <Update driver={data} installed={installed} changes={installed.changes} />
        ) : null}
        <Section title={t('drivers.field.description')}>{translated(data.description)}</Section>
        <Variables driver={data} />
        {data.health.length > 0 ? <Health driver={data} /> : null}
        {data.downlinks.length > 0 ? <Downlinks driver={data} /> : null}
        <Section title={t('drivers.parser.script')}>
          <CodeBlock code={data.script} label={t('drivers.parser.script')} />
        </Section>
      </Stack>
    </DetailPage>
  )
}

function Actions({ driver }: { driver: LibraryDriver }) {
  const { t } = useTranslation()
  const install = useInstall()
  if (driver.driverId !== null)
    return (
      <Button
        variant="default"
        renderRoot={(root) => <Link {...root} to={`/virtual-device-drivers/${driver.driverId}`} />}
      >
        {t('drivers.library.toInstalled')}
      </Button>
    )
  return driver.installable ? (
    <Button
      leftSection={<Icon of={IconDownload} size={16} />}
      loading={install.isPending}
      onClick={() => install.mutate(driver)}
    >
      {t('drivers.library.install')}
    </Button>
  ) : null
}

function factsOf(driver: LibraryDriver, t: TFunction) {
  return [
    { label: t('drivers.library.categoryLabel'), value: t(`drivers.library.category.${driver.category}`) },
    {
      label: t('drivers.spec.connectivity'),
      value: driver.connectivity,
      hidden: driver.connectivity === null,
    },
    { label: t('drivers.tab.golden'), value: driver.goldenCount },
    {
      label: t('drivers.spec.documentationUrl'),
      value: <Anchor {...webLink(driver.documentationUrl)}>{t('drivers.spec.openDocumentation')}</Anchor>,
      hidden: webLink(driver.documentationUrl) === undefined,
    },
  ]
}

function Variables({ driver }: { driver: LibraryDriver }) {
  const { t } = useTranslation()
  const translated = useTranslated()
  return (
    <Section title={t('drivers.variables.title')} flush>
      <SimpleTable
        label={t('drivers.variables.title')}
        rows={driver.variables}
        rowKey={({ key }) => key}
        spacing={6}
        inset="md"
        minWidth={480}
        columns={[
          {
            key: 'key',
            title: t('drivers.variables.key'),
            className: classes.mono,
            render: ({ key }) => key,
          },
          { key: 'label', title: t('drivers.variables.label'), render: ({ title }) => translated(title) },
          { key: 'unit', title: t('drivers.variables.unit'), render: ({ unit }) => unit || '–' },
        ]}
      />
    </Section>
  )
}

function Health({ driver }: { driver: LibraryDriver }) {
  const { t } = useTranslation()
  const translated = useTranslated()
  return (
    <Section title={t('drivers.library.health')} description={t('drivers.library.healthText')}>
      <List size="sm" spacing={4}>
        {driver.health.map((entry) => (
          <List.Item key={entry.identifier}>{translated(entry.description)}</List.Item>
        ))}
      </List>
    </Section>
  )
}

function Downlinks({ driver }: { driver: LibraryDriver }) {
  const { t } = useTranslation()
  const translated = useTranslated()
  return (
    <Section title={t('drivers.tab.downlinks')} description={t('drivers.library.downlinksText')} flush>
      <SimpleTable
        label={t('drivers.tab.downlinks')}
        rows={driver.downlinks}
        rowKey={({ name }) => name.en}
        spacing={6}
        inset="md"
        minWidth={560}
        columns={[
          {
            key: 'name',
            title: t('downlinks.name'),
            render: (downlink) => (
              <>
                {translated(downlink.name)}
                {downlink.description ? (
                  <Text size="xs" c="dimmed">
                    {translated(downlink.description)}
                  </Text>
                ) : null}
              </>
            ),
          },
          { key: 'port', title: t('downlinks.port'), render: ({ port }) => port },
          {
            key: 'payload',
            title: t('downlinks.payload'),
            className: classes.mono,
            render: ({ payload }) => payload.toUpperCase(),
          },
          {
            key: 'source',
            title: t('drivers.spec.documentationUrl'),
            render: ({ documentationUrl }) => (
              <Anchor {...webLink(documentationUrl)} size="sm">
                {new URL(documentationUrl).hostname}
              </Anchor>
            ),
          },
        ]}
      />
    </Section>
  )
}
