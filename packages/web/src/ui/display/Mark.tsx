import { useBrand } from '../../lib/brand.ts'

/** The logo: that of the brand, or the console's own. */
export function Mark({ size = 28 }: { size?: number }) {
  const brand = useBrand()
  if (brand?.isBranded)
    return <img src={brand.images.logo ?? '/icon.svg'} width={size} height={size} alt="" />
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
      <rect width="32" height="32" rx="8" fill="#0b7285" />
      <path
        d="M9 7v18h14"
        fill="none"
        stroke="#fff"
        strokeWidth="3.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <path
        d="M14.5 19.5a8 8 0 0 1 8-8"
        fill="none"
        stroke="#99e9f2"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
      <circle cx="22.6" cy="11.4" r="2.6" fill="#fff" />
    </svg>
  )
}
