import type { FoundPlace } from '@leitstand/contract/geocoder'
import { ActionIcon, Tooltip } from '@mantine/core'
import { IconMapSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { onDemand } from '../../../lib/onDemand.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'

const AddressDialog = onDemand(() => import('./AddressDialog.tsx'))

interface AddressLookupProps {
  /** what was entered so far */
  address: string
  position: { latitude: number; longitude: number } | null
  onChoose: (place: FoundPlace) => void
}

/** Button in the field of an address that looks it up; nothing if the operator has configured no geocoder. */
export function AddressLookup({ address, position, onChoose }: AddressLookupProps) {
  const { t } = useTranslation()
  const state = useQuery(api.geocoder.state.queryOptions({ staleTime: Number.POSITIVE_INFINITY }))
  const [open, setOpen] = useState(false)
  if (!state.data?.enabled) return null
  const close = () => setOpen(false)
  return (
    <>
      <Tooltip label={t('geocoder.open')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('geocoder.open')}
          onClick={() => setOpen(true)}
        >
          <Icon of={IconMapSearch} size={18} />
        </ActionIcon>
      </Tooltip>
      {open ? (
        <Suspense fallback={<Loading lines={1} />}>
          <AddressDialog
            address={address}
            position={position}
            attribution={state.data.attribution}
            onChoose={(place) => {
              onChoose(place)
              close()
            }}
            onClose={close}
          />
        </Suspense>
      ) : null}
    </>
  )
}
