import { builtInMapLayouts } from '@leitstand/contract/maps'
import type { Share } from '@leitstand/contract/sharing'
import {
  Button,
  Checkbox,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Tabs,
  Text,
  TextInput,
} from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../ui/display/CopyButton.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { QrCode } from '../../ui/display/QrCode.tsx'
import {
  frameCode,
  type MapOptions,
  mapDefaults,
  mapQueryOf,
  mapRanges,
  optionsOf,
  type PageKind,
  pageAddress,
} from './address.ts'

/** Addresses of a link: to copy, as a QR code, and as HTML for a web site. */
export function ShareLinks({ share }: { share: Share }) {
  const { t } = useTranslation()
  const [page, setPage] = useState<PageKind>('tiles')
  // The page begins with the settings of the twin, which the address need not repeat.
  const { data: valid } = useQuery(
    api.digitaltwin.mapSettings.queryOptions({
      input: { id: share.objectId },
      enabled: share.kind === 'twin',
    }),
  )
  const defaults = valid ? optionsOf(valid.settings) : mapDefaults
  const [changed, setChanged] = useState<Partial<MapOptions>>({})
  const options = { ...defaults, ...changed }
  if (share.kind === 'dashboard') return <Addresses share={share} page="tiles" query="" />
  return (
    <Tabs value={page} onChange={(next) => setPage(next === 'map' ? 'map' : 'tiles')} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="tiles">{t('sharing.page.tiles')}</Tabs.Tab>
        <Tabs.Tab value="map">{t('sharing.page.map')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="tiles">
        <Addresses share={share} page="tiles" query="" />
      </Tabs.Panel>
      <Tabs.Panel value="map">
        <Stack gap="md">
          <MapFields
            options={options}
            defaults={defaults}
            onChange={(change) => setChanged({ ...changed, ...change })}
          />
          <Addresses share={share} page="map" query={mapQueryOf(options, defaults)} />
        </Stack>
      </Tabs.Panel>
    </Tabs>
  )
}

function Addresses({ share, page, query }: { share: Share; page: PageKind; query: string }) {
  const { t } = useTranslation()
  const address = pageAddress(location.origin, share, page, { query })
  const framed = pageAddress(location.origin, share, page, { query, framed: true })
  return (
    <Stack gap="md">
      <Group align="flex-end" gap={8} wrap="nowrap">
        <TextInput
          style={{ flex: 1 }}
          label={t('sharing.address')}
          readOnly
          value={address}
          onFocus={(event) => event.currentTarget.select()}
          rightSection={<CopyButton value={address} label={t('sharing.copyAddress')} />}
        />
        <Button
          component="a"
          href={address}
          target="_blank"
          rel="noreferrer"
          variant="default"
          leftSection={<Icon of={IconExternalLink} size={16} />}
        >
          {t('sharing.open')}
        </Button>
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <QrCode text={address} label={t('sharing.qr')} />
        <div>
          <Text size="sm" fw={500} mb={4}>
            {t('sharing.frame')}
          </Text>
          <CodeBlock code={frameCode(framed, share.title)} label={t('sharing.frame')} />
          <Text size="xs" c="dimmed" mt={6}>
            {share.origins.length > 0
              ? t('sharing.frameOf', { sites: share.origins.join(', ') })
              : t('sharing.frameNone')}
          </Text>
        </div>
      </SimpleGrid>
    </Stack>
  )
}

interface MapFieldsProps {
  options: MapOptions
  defaults: MapOptions
  onChange: (change: Partial<MapOptions>) => void
}

function MapFields({ options, defaults, onChange }: MapFieldsProps) {
  const { t } = useTranslation()
  const number = (key: 'zoom' | 'distance' | 'pitch' | 'bearing') => {
    const [min, max] = mapRanges[key]
    return (
      <NumberInput
        key={key}
        label={t(`sharing.map.${key}`)}
        placeholder={t('sharing.map.fits')}
        min={min}
        max={max}
        clampBehavior="strict"
        allowDecimal={false}
        value={options[key] ?? ''}
        onChange={(value) => onChange({ [key]: value === '' ? defaults[key] : Number(value) })}
      />
    )
  }
  return (
    <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm">
      <Select
        label={t('sharing.map.markerstyle')}
        allowDeselect={false}
        data={(['default', 'outlined'] as const).map((value) => ({
          value,
          label: t(`sharing.map.markers.${value}`),
        }))}
        value={options.markerstyle}
        onChange={(value) => onChange({ markerstyle: value === 'outlined' ? 'outlined' : 'default' })}
      />
      <Select
        label={t('map.layout')}
        allowDeselect={false}
        data={builtInMapLayouts.map((id, at) => ({ value: String(at + 1), label: t(`map.layouts.${id}`) }))}
        value={String(options.style)}
        onChange={(style) => onChange({ style: Number(style) })}
      />
      {(['zoom', 'distance', 'pitch', 'bearing'] as const).map(number)}
      <Checkbox
        mt={4}
        label={t('sharing.map.hidebar')}
        checked={options.hidebar}
        onChange={(event) => onChange({ hidebar: event.currentTarget.checked })}
      />
      <Checkbox
        mt={4}
        label={t('sharing.map.indoor')}
        checked={options.indoor}
        onChange={(event) => onChange({ indoor: event.currentTarget.checked })}
      />
    </SimpleGrid>
  )
}
