import type { ComponentType } from 'react'
import type { useCan } from '../../lib/session.ts'
import { createSlot } from '../../lib/slot.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { Account } from './queries.ts'

export interface AccountProps {
  account: Account
}

/** Tabs of the page of an account. */
export const accountTabs = createSlot<PageTab<AccountProps>>('accountTabs')

/** A section below the form of an account, for users who may change it. */
export interface AccountSection {
  /** Its heading in the navigation is the text `accounts.section.<key>`, its element has the id `account-<key>`. */
  key: string
  isShown?: (can: ReturnType<typeof useCan>) => boolean
  Content: ComponentType<AccountProps>
}

export const accountSections = createSlot<AccountSection>('accountSections')
