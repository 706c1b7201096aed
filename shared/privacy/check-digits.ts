/** Numbers that prove themselves: their last digit follows from the others. */

/** Weights of GB 11643-1999 (ISO 7064 MOD 11-2), and the check characters by remainder. */
const ID_WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
const ID_CHECKS = "10x98765432";

/** True for an identity number of 18 characters, `x` in lower case: region, date of birth and check character fit. */
export function isIdNumber(text: string): boolean {
  if (!/^[1-8]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dx]$/u.test(text)) return false;
  const sum = ID_WEIGHTS.reduce((total, weight, index) => total + weight * Number(text.charAt(index)), 0);
  return ID_CHECKS.charAt(sum % 11) === text.charAt(17);
}

/** True for 16 to 19 digits of a bank card: a first digit that banks use (ISO/IEC 7812: 3-6), and Luhn's sum. */
export function isCardNumber(digits: string): boolean {
  if (!/^[3-6]\d{15,18}$/u.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits.charAt(digits.length - 1 - index));
    const value = index % 2 === 0 ? digit : digit * 2;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
