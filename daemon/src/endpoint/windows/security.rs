//! Users and access lists, as texts (SIDs, SDDL). All talk with the system about them is here.

use std::ffi::c_void;
use std::io;
use std::os::windows::io::{AsRawHandle as _, BorrowedHandle, FromRawHandle as _, OwnedHandle};
use std::ptr;
use windows_sys::Win32::Foundation::{ERROR_SUCCESS, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    ConvertSecurityDescriptorToStringSecurityDescriptorW, ConvertSidToStringSidW,
    ConvertStringSecurityDescriptorToSecurityDescriptorW, GetSecurityInfo, SDDL_REVISION_1, SE_KERNEL_OBJECT,
};
use windows_sys::Win32::Security::{
    DACL_SECURITY_INFORMATION, GetTokenInformation, OWNER_SECURITY_INFORMATION, PSID, TOKEN_QUERY,
    TOKEN_USER, TokenUser,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// The user SYSTEM, Windows' root.
pub(crate) const SYSTEM: &str = "S-1-5-18";

/// Memory that the system allotted for us.
#[derive(Debug)]
struct Local(*mut c_void);

impl Drop for Local {
    fn drop(&mut self) {
        // SAFETY: it came from a function that says to free it so, and nothing else frees it.
        unsafe { LocalFree(self.0) };
    }
}

/// A security descriptor.
#[derive(Debug)]
pub(crate) struct Descriptor(Local);

// SAFETY: it is plain memory that is never changed.
unsafe impl Send for Descriptor {}
// SAFETY: as above.
unsafe impl Sync for Descriptor {}

impl Descriptor {
    /// The descriptor that this SDDL text describes.
    ///
    /// # Errors
    /// As the system says.
    pub(crate) fn parse(sddl: &str) -> io::Result<Self> {
        let text: Vec<u16> = sddl.encode_utf16().chain([0]).collect();
        let mut raw = ptr::null_mut();
        // SAFETY: the text ends with a zero, and the result's place is ours.
        let done = unsafe {
            ConvertStringSecurityDescriptorToSecurityDescriptorW(
                text.as_ptr(),
                SDDL_REVISION_1,
                &mut raw,
                ptr::null_mut(),
            )
        };
        if done == 0 { Err(io::Error::last_os_error()) } else { Ok(Self(Local(raw))) }
    }

    /// For the system, which only reads it; valid as long as `self` is.
    pub(crate) fn as_ptr(&self) -> *mut c_void {
        self.0.0
    }
}

/// The user that this process runs as.
///
/// # Errors
/// As the system says.
pub(crate) fn current_user() -> io::Result<String> {
    let mut token = ptr::null_mut();
    // SAFETY: the result's place is ours.
    if unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &mut token) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was just opened for us.
    let token = unsafe { OwnedHandle::from_raw_handle(token) };
    // A SID has at most 68 bytes; words, for the alignment.
    let mut room = [0_u64; 16];
    let mut length = 0;
    // SAFETY: no more is written than there is room.
    let done = unsafe {
        GetTokenInformation(
            token.as_raw_handle(),
            TokenUser,
            room.as_mut_ptr().cast(),
            size_of_val(&room) as u32,
            &mut length,
        )
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the system has put a TOKEN_USER there, whose SID lies behind it.
    unsafe { text_of((*room.as_ptr().cast::<TOKEN_USER>()).User.Sid) }
}

/// What protects an object.
#[derive(Debug)]
pub(crate) struct Protection {
    /// Its owner. Nobody can make an object that somebody else owns without a right that only administrators have.
    pub(crate) owner: String,
    /// Its access list in SDDL.
    #[cfg_attr(not(test), expect(dead_code, reason = "read back in tests"))]
    pub(crate) access_list: String,
}

/// Reads back what protects a pipe.
///
/// # Errors
/// As the system says; also if the handle was opened without the right to read it.
pub(crate) fn describe(pipe: BorrowedHandle<'_>) -> io::Result<Protection> {
    let (mut owner, mut raw): (PSID, _) = (ptr::null_mut(), ptr::null_mut());
    let both = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION;
    // SAFETY: the results' places are ours.
    let status = unsafe {
        GetSecurityInfo(
            pipe.as_raw_handle(),
            SE_KERNEL_OBJECT,
            both,
            &mut owner,
            ptr::null_mut(),
            ptr::null_mut(),
            ptr::null_mut(),
            &mut raw,
        )
    };
    if status != ERROR_SUCCESS {
        return Err(io::Error::from_raw_os_error(status.cast_signed()));
    }
    let descriptor = Local(raw);
    if owner.is_null() {
        return Err(io::Error::other("the pipe has no owner"));
    }
    let mut text = ptr::null_mut();
    // SAFETY: the descriptor is valid, the result's place is ours.
    let done = unsafe {
        ConvertSecurityDescriptorToStringSecurityDescriptorW(
            descriptor.0,
            SDDL_REVISION_1,
            DACL_SECURITY_INFORMATION,
            &mut text,
            ptr::null_mut(),
        )
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the text is new and ends with a zero; the owner lies within the descriptor.
    unsafe { Ok(Protection { owner: text_of(owner)?, access_list: take_text(text) }) }
}

/// A SID as text.
///
/// # Safety
/// The SID is valid.
unsafe fn text_of(sid: PSID) -> io::Result<String> {
    let mut text = ptr::null_mut();
    // SAFETY: as the caller says; the result's place is ours.
    if unsafe { ConvertSidToStringSidW(sid, &mut text) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the text is new and ends with a zero.
    Ok(unsafe { take_text(text) })
}

/// Copies a text that the system allotted, and frees it.
///
/// # Safety
/// It is to be freed by `LocalFree`, and ends with a zero.
unsafe fn take_text(text: *mut u16) -> String {
    let allotted = Local(text.cast());
    // SAFETY: the zero at its end is found before its end.
    let length = (0..).take_while(|at| unsafe { *text.add(*at) } != 0).count();
    // SAFETY: so many characters were just seen.
    let copy = String::from_utf16_lossy(unsafe { std::slice::from_raw_parts(text, length) });
    drop(allotted);
    copy
}
